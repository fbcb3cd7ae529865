// Builds terrains, trees, roads and water of a landscape package: Tools > Landscape > LEVEL_NAME > Build from Package.
//
// A package that is built again updates what is there: assets keep their GUIDs, and an artist's materials, terrain
// layers, added trees and objects stay.  All assets lie in Assets/Landscapes/NAME.  Nothing of it can be undone.
//
// Without a window:   Unity -batchmode -quit -projectPath PROJECT -landscape Assets/FOLDER
//                     -executeMethod Landscape_LEVEL_NAME.LandscapePackage.BuildFromCommandLine
//
// A place of the land (x east, y north, z up) is (x, z, y) here.  GLB files hold (x, z, -y), so their third number
// changes its sign and triangles turn round; they are read here, because other importers mirror them another way.

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.Rendering;
using UnityEngine.SceneManagement;

// Each package in a project brings this file along, so each has a namespace of its own.
namespace Landscape_LEVEL_NAME
{

public static class LandscapePackage
{
    const string ManifestName = "manifest.json";
    const float DetailCell = 1f; // metres; terrains that need more than 4048 cells a side have larger ones

    [MenuItem("Tools/Landscape/LEVEL_NAME/Build from Package...")]
    public static void BuildFromMenu()
    {
        string path = EditorUtility.OpenFilePanel("Manifest of a landscape package", Application.dataPath, "json");
        if (path.Length > 0) Build(Path.GetDirectoryName(path));
    }

    // Without a window nobody saves, so the level becomes a scene beside its assets.
    public static void BuildFromCommandLine()
    {
        string[] arguments = Environment.GetCommandLineArgs();
        int place = Array.IndexOf(arguments, "-landscape");
        if (place < 0 || place + 1 >= arguments.Length) throw new ArgumentException("-landscape FOLDER is missing");
        string folder = arguments[place + 1];
        string name = Read(folder).name;
        string scene = Assets.Folder(name) + "/" + name + ".unity";
        bool isNew = !File.Exists(scene);
        var open = isNew
            ? EditorSceneManager.NewScene(NewSceneSetup.DefaultGameObjects, NewSceneMode.Single)
            : EditorSceneManager.OpenScene(scene, OpenSceneMode.Single);
        // Nobody has chosen the sun of a new scene.
        Light sun = isNew ? FindSun() : null;
        if (sun != null) UnityEngine.Object.DestroyImmediate(sun.gameObject);
        Build(folder);
        if (!EditorSceneManager.SaveScene(open, scene)) throw new IOException(scene + " was not saved");
    }

    public static GameObject Build(string folder)
    {
        Manifest manifest = Read(folder);
        string assets = Assets.Folder(manifest.name);
        GameObject root = FindRoot(manifest.name);
        Pictures.Begin();
        TerrainLayer[] layers = MakeLayers(manifest, folder, assets);
        TreePrototype[] prototypes = MakePrototypes(manifest, folder, assets);
        DetailPrototype[] details = MakeDetails(manifest, folder, assets);
        foreach (Tile tile in manifest.tiles)
            MakeTerrain(manifest, tile, folder, assets, layers, prototypes, details, root);
        List<string> groups = new List<string>();
        foreach (string file in manifest.water)
        {
            groups.Add(Path.GetFileNameWithoutExtension(file));
            Glb.Load(Path.Combine(folder, file), assets, Path.GetFileNameWithoutExtension(file), root);
        }
        if (!string.IsNullOrEmpty(manifest.roads))
        {
            groups.Add("roads");
            CollideExactly(Glb.Load(Path.Combine(folder, manifest.roads), assets, "roads", root), assets);
        }
        RemoveOld(root, manifest, assets, groups);
        Road[] roads = new Road[0];
        if (!string.IsNullOrEmpty(manifest.road_records))
            roads = JsonUtility.FromJson<Records>(File.ReadAllText(Path.Combine(folder, manifest.road_records))).roads;
        foreach (Road road in roads) AddSpline(root, road);
        RemoveOldSplines(root, roads, assets + "/road_names.txt");
        AddNavigation(root);
        LightUp(manifest.daylight, root);
        AssetDatabase.SaveAssets();
        EditorSceneManager.MarkSceneDirty(root.scene);
        return root;
    }

    // Also a root that is switched off, that lies in another open scene, or that an artist has put into another object.
    static GameObject FindRoot(string name)
    {
        Scene active = SceneManager.GetActiveScene();
        List<GameObject> things = new List<GameObject>(active.GetRootGameObjects());
        for (int i = 0; i < SceneManager.sceneCount; i++)
        {
            Scene scene = SceneManager.GetSceneAt(i);
            if (scene.isLoaded && scene != active) things.AddRange(scene.GetRootGameObjects());
        }
        foreach (GameObject thing in things)
            if (thing.name == name) return thing;
        foreach (GameObject thing in things)
            foreach (Transform inner in thing.GetComponentsInChildren<Transform>(true))
                if (inner.gameObject.name == name && inner.gameObject.GetComponentsInChildren<Terrain>(true).Length > 0)
                    return inner.gameObject;
        return new GameObject(name);
    }

    static Manifest Read(string folder)
    {
        Manifest manifest = JsonUtility.FromJson<Manifest>(File.ReadAllText(Path.Combine(folder, ManifestName)));
        if (manifest.format != "landscape package" || manifest.engine != "unity")
            throw new InvalidDataException(folder + " holds no landscape package for Unity");
        return manifest;
    }

    // Once.  A sun and haze that the scene has stay as they are.
    static void LightUp(Daylight light, GameObject root)
    {
        if (light == null || root.transform.Find("Daylight") != null) return;
        GameObject mark = Assets.Child(root, "Daylight");
        if (FindSun() == null)
        {
            Light sun = mark.AddComponent<Light>();
            sun.type = LightType.Directional;
            sun.shadows = LightShadows.Soft;
            sun.color = Linear(light.sun_linear_colour).gamma;
            sun.transform.rotation = Quaternion.Euler(light.sun_elevation_deg, light.sun_bearing_deg + 180f, 0f);
            RenderSettings.sun = sun;
        }
        if (Materials.IsHdrp(Materials.Usual()))
        {
            // HDRP takes its sky and haze from volumes and the brightness of the sun in lux, which each project sets.
            Debug.Log("HDRP: set the sun to the lux of your project, and for haze add a Volume with Fog whose Fog Attenuation "
                + "Distance is " + Mathf.Round(1f / light.haze_per_m) + " m. Plants use HDRP/Lit: far ones are cards, and "
                + "nothing moves in the wind.");
            return;
        }
        if (RenderSettings.fog) return;
        RenderSettings.fog = true;
        RenderSettings.fogMode = FogMode.Exponential;
        RenderSettings.fogDensity = light.haze_per_m;
        RenderSettings.fogColor = Linear(light.haze_linear_colour).gamma;
    }

    static Light FindSun()
    {
        if (RenderSettings.sun != null && RenderSettings.sun.type == LightType.Directional) return RenderSettings.sun;
        foreach (GameObject thing in SceneManager.GetActiveScene().GetRootGameObjects())
            foreach (Light light in thing.GetComponentsInChildren<Light>())
                if (light.type == LightType.Directional) return light;
        return null;
    }

    static Color Linear(float[] colour)
    {
        return new Color(colour[0], colour[1], colour[2]);
    }

    static string NameOf(Tile tile)
    {
        return "Terrain_" + tile.column + "_" + tile.row;
    }

    // Terrains, water and roads that an earlier package had.  Ours have the name of their asset; whatever else is under
    // the root, also a copy of ours with another name, is an artist's.
    static void RemoveOld(GameObject root, Manifest manifest, string assets, List<string> groups)
    {
        for (int i = root.transform.childCount - 1; i >= 0; i--)
        {
            GameObject child = root.transform.GetChild(i).gameObject;
            Terrain terrain = child.GetComponent<Terrain>();
            if (terrain != null)
            {
                bool isOurs = AssetDatabase.GetAssetPath(terrain.terrainData) == assets + "/" + child.name + ".asset";
                if (isOurs && !Array.Exists(manifest.tiles, tile => NameOf(tile) == child.name))
                    Assets.Remove(child, root);
            }
            else if (!groups.Contains(child.name) && Glb.RemoveOldParts(child, assets, new List<string>()))
                Assets.Remove(child, root);
        }
    }

    // Splines have no assets, so a file keeps the names of all roads that the package has ever had.
    static void RemoveOldSplines(GameObject root, Road[] roads, string record)
    {
        Type container = SplineContainer();
        if (container == null) return;
        SortedSet<string> names = new SortedSet<string>(StringComparer.Ordinal);
        if (File.Exists(record)) names.UnionWith(File.ReadAllLines(record));
        foreach (string name in names)
        {
            Transform line = root.transform.Find("Road " + name);
            if (line == null || line.gameObject.GetComponent(container) == null) continue;
            if (!Array.Exists(roads, road => road.name == name)) Assets.Remove(line.gameObject, root);
        }
        foreach (Road road in roads) names.Add(road.name);
        if (names.Count > 0) File.WriteAllLines(record, names);
    }

    // Bodies stand on roads, bridges and pads.
    static void CollideExactly(GameObject roads, string assets)
    {
        foreach (MeshFilter filter in roads.GetComponentsInChildren<MeshFilter>())
        {
            if (!Glb.IsPart(filter.gameObject, roads, assets)) continue;
            MeshCollider body = filter.gameObject.GetComponent<MeshCollider>();
            if (body == null) body = filter.gameObject.AddComponent<MeshCollider>();
            body.sharedMesh = null; // otherwise it keeps the shape that the mesh had
            body.sharedMesh = filter.sharedMesh;
        }
    }

    // Null unless the project has the package com.unity.splines, which is asked for by name so that this script compiles
    // without it.
    static Type SplineContainer()
    {
        return Type.GetType("UnityEngine.Splines.SplineContainer, Unity.Splines");
    }

    // The middle of a road as a spline.
    static void AddSpline(GameObject root, Road road)
    {
        Type container = SplineContainer();
        if (container == null) return;
        Type knot = Type.GetType("UnityEngine.Splines.BezierKnot, Unity.Splines");
        Type place = Type.GetType("Unity.Mathematics.float3, Unity.Mathematics");
        Type mode = Type.GetType("UnityEngine.Splines.TangentMode, Unity.Splines");
        GameObject line = Assets.Child(root, "Road " + road.name);
        Component there = line.GetComponent(container);
        object spline = container.GetProperty("Spline").GetValue(there != null ? there : line.AddComponent(container));
        spline.GetType().GetMethod("Clear").Invoke(spline, null);
        var add = spline.GetType().GetMethod("Add", new[] { knot, mode });
        object smooth = Enum.Parse(mode, "AutoSmooth");
        for (int i = 0; i < road.points_m.x.Length; i++)
        {
            object point = Activator.CreateInstance(place, road.points_m.x[i], road.points_m.z[i], road.points_m.y[i]);
            add.Invoke(spline, new[] { Activator.CreateInstance(knot, point), smooth });
        }
    }

    // A surface for navigation, if the project has the package com.unity.ai.navigation; its button Bake makes the mesh.
    static void AddNavigation(GameObject root)
    {
        Type surface = Type.GetType("Unity.AI.Navigation.NavMeshSurface, Unity.AI.Navigation");
        if (surface == null || root.GetComponent(surface) != null) return;
        Component made = root.AddComponent(surface);
        foreach (var choice in new[] { ("collectObjects", "Children"), ("useGeometry", "PhysicsColliders") })
        {
            var property = surface.GetProperty(choice.Item1);
            property.SetValue(made, Enum.Parse(property.PropertyType, choice.Item2));
        }
    }

    // The asset must exist before its layers are painted: the painting is stored in textures inside the asset, and
    // those of data without an asset are lost.
    static void MakeTerrain(
        Manifest manifest, Tile tile, string folder, string assets, TerrainLayer[] layers, TreePrototype[] prototypes,
        DetailPrototype[] details, GameObject root)
    {
        int samples = manifest.placement.heightmap_resolution;
        float[] size = manifest.placement.terrain_size;
        string path = assets + "/" + NameOf(tile) + ".asset";
        TerrainData data = AssetDatabase.LoadAssetAtPath<TerrainData>(path);
        if (data == null)
        {
            data = new TerrainData();
            AssetDatabase.CreateAsset(data, path);
        }
        data.heightmapResolution = samples;
        // The resolution changes the size, so the size comes after it.
        data.size = new Vector3(size[0], size[1], size[2]);
        data.SetHeights(0, 0, ReadHeights(Path.Combine(folder, tile.files.height), samples));
        // An artist may have put other layers in the place of ours, or behind them.
        if (data.terrainLayers == null || data.terrainLayers.Length < layers.Length) data.terrainLayers = layers;
        data.alphamapResolution = manifest.placement.alphamap_resolution;
        int kinds = data.terrainLayers.Length;
        data.SetAlphamaps(0, 0, ReadWeights(folder, tile.files, data.alphamapResolution, layers.Length, kinds));
        PlantTrees(data, tile, folder, prototypes);
        Strew(data, manifest, tile, folder, details, assets + "/" + NameOf(tile) + "_details.txt");
        EditorUtility.SetDirty(data);
        Transform there = root.transform.Find(NameOf(tile));
        Terrain terrain = there != null ? there.GetComponent<Terrain>() : null;
        if (terrain == null)
        {
            terrain = Terrain.CreateTerrainGameObject(data).GetComponent<Terrain>();
            terrain.name = NameOf(tile);
            terrain.transform.SetParent(root.transform, false);
            terrain.allowAutoConnect = true;
            terrain.drawInstanced = true;
            if (GraphicsSettings.currentRenderPipeline != null)
                terrain.materialTemplate = GraphicsSettings.currentRenderPipeline.defaultTerrainMaterial;
        }
        terrain.transform.localPosition = new Vector3(tile.west_m, manifest.height.lowest_m, tile.south_m);
        terrain.Flush();
    }

    // Ours come first; the prototypes that an artist added follow, and their trees stay.
    static void PlantTrees(TerrainData data, Tile tile, string folder, TreePrototype[] prototypes)
    {
        List<TreePrototype> kinds = new List<TreePrototype>(prototypes);
        List<TreeInstance> trees = new List<TreeInstance>();
        if (!string.IsNullOrEmpty(tile.files.trees)) trees.AddRange(ReadTrees(Path.Combine(folder, tile.files.trees)));
        TreePrototype[] before = data.treePrototypes ?? new TreePrototype[0];
        int[] place = new int[before.Length];
        for (int i = 0; i < before.Length; i++)
        {
            place[i] = -1;
            string path = AssetDatabase.GetAssetPath(before[i].prefab);
            if (path.StartsWith("Assets/Landscapes/")) continue;
            place[i] = kinds.Count;
            kinds.Add(before[i]);
        }
        foreach (TreeInstance tree in data.treeInstances ?? new TreeInstance[0])
        {
            if (tree.prototypeIndex >= place.Length || place[tree.prototypeIndex] < 0) continue;
            TreeInstance kept = tree;
            kept.prototypeIndex = place[tree.prototypeIndex];
            trees.Add(kept);
        }
        data.SetTreeInstances(new TreeInstance[0], false);
        data.treePrototypes = kinds.ToArray();
        data.SetTreeInstances(trees.ToArray(), false);
    }

    // One for each mesh.
    static DetailPrototype[] MakeDetails(Manifest manifest, string folder, string assets)
    {
        List<DetailPrototype> prototypes = new List<DetailPrototype>();
        foreach (Detail detail in manifest.details ?? new Detail[0])
            foreach (string file in detail.meshes)
            {
                GameObject root = new GameObject("detail_" + Path.GetFileNameWithoutExtension(file));
                GameObject model = Glb.Load(
                    Path.Combine(folder, file), assets, Path.GetFileNameWithoutExtension(file), root, detail.height_m);
                // A detail has one mesh and one material, in the root of its prefab.
                MeshFilter shape = model.GetComponentsInChildren<MeshFilter>()[0];
                root.AddComponent<MeshFilter>().sharedMesh = shape.sharedMesh;
                root.AddComponent<MeshRenderer>().sharedMaterials =
                    model.GetComponentsInChildren<MeshRenderer>()[0].sharedMaterials;
                UnityEngine.Object.DestroyImmediate(model);
                GameObject prefab = PrefabUtility.SaveAsPrefabAsset(root, assets + "/" + root.name + ".prefab");
                UnityEngine.Object.DestroyImmediate(root);
                prototypes.Add(new DetailPrototype
                {
                    prototype = prefab,
                    usePrototypeMesh = true,
                    useInstancing = true,
                    renderMode = DetailRenderMode.VertexLit,
                    minHeight = detail.smallest,
                    maxHeight = 1f,
                    minWidth = detail.smallest,
                    maxWidth = 1f,
                    healthyColor = Color.white,
                    dryColor = Color.white,
                });
            }
        return prototypes.ToArray();
    }

    // Anew, unless an artist has painted other densities since the last build, or has other kinds.
    static void Strew(
        TerrainData data, Manifest manifest, Tile tile, string folder, DetailPrototype[] prototypes, string record)
    {
        bool isStrewn = data.detailPrototypes != null && data.detailPrototypes.Length > 0;
        bool isOurs = isStrewn && File.Exists(record) && File.ReadAllText(record) == SumOfDetails(data);
        if (prototypes.Length == 0 || isStrewn && !isOurs) return;
        float[] size = manifest.placement.terrain_size;
        int side = Mathf.Clamp(Mathf.CeilToInt(Mathf.Max(size[0], size[2]) / DetailCell), 32, 4048);
#if UNITY_2022_2_OR_NEWER
        // Otherwise numbers would be shares of the ground that is covered.
        data.SetDetailScatterMode(DetailScatterMode.InstanceCountMode);
#endif
        data.SetDetailResolution(side, 32);
        if (!isStrewn) data.detailPrototypes = prototypes; // otherwise what an artist has set, such as colours, stays
        string[] pictures = { tile.files.density_tufts, tile.files.density_ferns, tile.files.density_stones };
        int layer = 0;
        for (int kind = 0; kind < manifest.details.Length; kind++)
        {
            Texture2D image = new Texture2D(2, 2, TextureFormat.RGBA32, false, true);
            image.LoadImage(File.ReadAllBytes(Path.Combine(folder, pictures[kind])));
            Color32[] pixels = image.GetPixels32();
            int meshes = manifest.details[kind].meshes.Length;
            float most = manifest.details[kind].per_m2 * size[0] * size[2] / side / side / meshes;
            for (int mesh = 0; mesh < meshes; mesh++, layer++)
            {
                int[,] counts = new int[side, side];
                System.Random random = new System.Random(layer);
                for (int z = 0; z < side; z++)
                    for (int x = 0; x < side; x++)
                    {
                        Color32 pixel = pixels[z * image.height / side * image.width + x * image.width / side];
                        // The rest behind the comma is the chance of one more; a cell holds 16 things at most.
                        counts[z, x] = Mathf.Min((int)(most * pixel.r / 255f + (float)random.NextDouble()), 16);
                    }
                data.SetDetailLayer(0, 0, layer, counts);
            }
            UnityEngine.Object.DestroyImmediate(image);
        }
        File.WriteAllText(record, SumOfDetails(data));
    }

    // Tells counts from other counts, and says how many kinds there are.
    static string SumOfDetails(TerrainData data)
    {
        ulong sum = 0;
        for (int layer = 0; layer < data.detailPrototypes.Length; layer++)
            foreach (int count in data.GetDetailLayer(0, 0, data.detailWidth, data.detailHeight, layer))
                sum = unchecked(sum * 6364136223846793005UL + (ulong)count + 1UL);
        return data.detailPrototypes.Length + " " + sum;
    }

    // The file begins in the south, as the array does: [z, x].
    public static float[,] ReadHeights(string path, int samples)
    {
        byte[] bytes = File.ReadAllBytes(path);
        if (bytes.Length != 2 * samples * samples) throw new InvalidDataException(path + " has another size");
        float[,] heights = new float[samples, samples];
        for (int i = 0; i < samples * samples; i++)
            heights[i / samples, i % samples] = (bytes[2 * i] | bytes[2 * i + 1] << 8) / 65535f;
        return heights;
    }

    // GetPixels32 begins with the lowest row of an image, which is the south.
    static float[,,] ReadWeights(string folder, Files files, int samples, int layers, int kinds)
    {
        float[,,] weights = new float[samples, samples, kinds];
        string[] images = { files.weights_0, files.weights_1 };
        for (int first = 0; first < layers; first += 4)
        {
            Texture2D image = new Texture2D(2, 2, TextureFormat.RGBA32, false, true);
            image.LoadImage(File.ReadAllBytes(Path.Combine(folder, images[first / 4])));
            if (image.width != samples || image.height != samples)
                throw new InvalidDataException(images[first / 4] + " has another size than the alphamap");
            Color32[] pixels = image.GetPixels32();
            for (int i = 0; i < pixels.Length; i++)
            {
                Color32 pixel = pixels[i];
                byte[] four = { pixel.r, pixel.g, pixel.b, pixel.a };
                for (int k = 0; k < 4 && first + k < layers; k++)
                    weights[i / samples, i % samples, first + k] = four[k] / 255f;
            }
            UnityEngine.Object.DestroyImmediate(image);
        }
        return weights;
    }

    public static TreeInstance[] ReadTrees(string path)
    {
        Trees trees = JsonUtility.FromJson<Trees>(File.ReadAllText(path));
        TreeInstance[] instances = new TreeInstance[trees.x.Length];
        for (int i = 0; i < instances.Length; i++)
            instances[i] = new TreeInstance
            {
                position = new Vector3(trees.x[i], trees.y[i], trees.z[i]),
                prototypeIndex = trees.prototype[i],
                widthScale = trees.scale[i],
                heightScale = trees.scale[i],
                rotation = trees.rotation[i],
                color = Color.white,
                lightmapColor = Color.white,
            };
        return instances;
    }

    // With the textures of the package, or one colour each; layers that exist are not touched.
    static TerrainLayer[] MakeLayers(Manifest manifest, string folder, string assets)
    {
        TerrainLayer[] layers = new TerrainLayer[manifest.layers.Length];
        for (int i = 0; i < layers.Length; i++)
        {
            string path = assets + "/" + manifest.layers[i].name;
            layers[i] = AssetDatabase.LoadAssetAtPath<TerrainLayer>(path + ".terrainlayer");
            if (layers[i] != null) continue;
            Ground ground = manifest.layers[i].ground;
            if (ground != null && !string.IsNullOrEmpty(ground.colour))
                layers[i] = new TerrainLayer
                {
                    diffuseTexture = Pictures.Import(Path.Combine(folder, ground.colour), assets, Pictures.Kind.Colour),
                    normalMapTexture = Pictures.Import(Path.Combine(folder, ground.normal), assets, Pictures.Kind.Normal),
                    // Metal, occlusion, height and smoothness, which URP and HDRP read.
                    maskMapTexture = Pictures.Import(Path.Combine(folder, ground.packed), assets, Pictures.Kind.Numbers),
                    tileSize = new Vector2(ground.side_m, ground.side_m),
                    normalScale = 1f,
                    smoothness = 0.1f,
                };
            else layers[i] = OneColour(manifest.layers[i].linear_colour, path);
            AssetDatabase.CreateAsset(layers[i], path + ".terrainlayer");
        }
        return layers;
    }

    static TerrainLayer OneColour(float[] linear, string path)
    {
        Color colour = new Color(linear[0], linear[1], linear[2]).gamma;
        colour.a = 0f;
        Texture2D texture = new Texture2D(4, 4);
        Color[] pixels = new Color[16];
        for (int k = 0; k < pixels.Length; k++) pixels[k] = colour;
        texture.SetPixels(pixels);
        texture.Apply();
        texture = Assets.Update(texture, path + "_colour.asset");
        return new TerrainLayer { diffuseTexture = texture, tileSize = new Vector2(10f, 10f) };
    }

    static TreePrototype[] MakePrototypes(Manifest manifest, string folder, string assets)
    {
        List<TreePrototype> prototypes = new List<TreePrototype>();
        foreach (Species species in manifest.species)
            foreach (Variant variant in species.variants)
            {
                GameObject root = new GameObject(Path.GetFileNameWithoutExtension(variant.lods[0]));
                LOD[] levels = new LOD[variant.lods.Length];
                for (int level = 0; level < levels.Length; level++)
                {
                    bool hasViews = level == levels.Length - 1 && !string.IsNullOrEmpty(variant.views) && Views.Shown();
                    string file = hasViews ? variant.views : variant.lods[level];
                    Views views = hasViews ? species.views : null;
                    GameObject model = Glb.Load(
                        Path.Combine(folder, file), assets, Path.GetFileNameWithoutExtension(file), root,
                        species.height_m, views, species.id);
                    // A quad has the box of its plant, so that it is drawn wherever the plant would be.
                    float smallest = level == levels.Length - 1 ? 0.005f : Mathf.Pow(0.3f, level + 1);
                    levels[level] = new LOD(smallest, model.GetComponentsInChildren<Renderer>());
                }
                LODGroup group = root.AddComponent<LODGroup>();
                group.fadeMode = LODFadeMode.CrossFade;
                group.animateCrossFading = true;
                group.SetLODs(levels);
                group.RecalculateBounds();
                // Terrains take over capsules of the root of a tree.
                if (variant.trunk != null && variant.trunk.radius_m > 0f)
                {
                    CapsuleCollider stem = root.AddComponent<CapsuleCollider>();
                    stem.radius = variant.trunk.radius_m;
                    stem.height = variant.trunk.height_m;
                    stem.center = new Vector3(0f, 0.5f * variant.trunk.height_m, 0f);
                }
                GameObject prefab = PrefabUtility.SaveAsPrefabAsset(root, assets + "/" + root.name + ".prefab");
                UnityEngine.Object.DestroyImmediate(root);
                prototypes.Add(new TreePrototype { prefab = prefab });
            }
        return prototypes.ToArray();
    }

    [Serializable] class Manifest
    {
        public string format, name, engine, roads, road_records;
        public Height height;
        public Placement placement;
        public Daylight daylight;
        public Layer[] layers;
        public Species[] species;
        public Detail[] details;
        public string[] water;
        public Tile[] tiles;
    }
    [Serializable] class Daylight
    {
        public float sun_elevation_deg, sun_bearing_deg, haze_per_m;
        public float[] sun_linear_colour, haze_linear_colour;
    }
    [Serializable] class Records { public Road[] roads; }
    [Serializable] class Road { public string name; public Points points_m; }
    [Serializable] class Points { public float[] x, y, z; }
    [Serializable] class Height { public float lowest_m; }
    [Serializable] class Placement
    {
        public float[] terrain_size;
        public int heightmap_resolution, alphamap_resolution;
    }
    [Serializable] class Layer { public string name; public float[] linear_colour; public Ground ground; }
    [Serializable] class Ground { public string colour, normal, packed; public float side_m; }
    [Serializable] class Species { public string id; public float height_m; public Variant[] variants; public Views views; }
    [Serializable] class Variant { public string[] lods; public string views; public Trunk trunk; }
    [Serializable] class Detail
    {
        public string name;
        public string[] meshes;
        public float per_m2, height_m, smallest;
    }
    [Serializable] class Trunk { public float radius_m, height_m; }
    [Serializable] class Tile
    {
        public int row, column;
        public float west_m, south_m;
        public Files files;
    }
    [Serializable] class Files
    {
        public string height, weights_0, weights_1, trees, density_tufts, density_ferns, density_stones;
    }
    [Serializable] class Trees { public float[] x, y, z, scale, rotation; public int[] prototype; }
}

// Pictures of a plant from all sides, which the shader Far Plants blends.
[Serializable] class Views
{
    const string ShaderName = "Landscape/LEVEL_NAME/Far Plants";

    public string colour, surface;
    public int along, variants;
    public float margin_texels, cutoff, glow;
    public float[] cylinder_m, margin;

    // HDRP has no such shader, and shows cards.
    public static bool Shown()
    {
        return Shader.Find(ShaderName) != null && !Materials.IsHdrp(Materials.Usual());
    }

    // What an artist does not choose is set again.
    public Material Make(string name, string formerName, string folder, string assets, float height)
    {
        string path = assets + "/" + Assets.Plain(name) + " views.mat";
        Material material = Materials.Find(path, assets + "/" + Assets.Plain(formerName) + " views.mat");
        bool isNew = material == null;
        if (isNew)
        {
            material = new Material(Shader.Find(ShaderName)) { name = name + " views", enableInstancing = true };
            material.SetFloat("_Glow", glow);
        }
        // The package lies above the folder of the GLB file.
        string package = Path.GetDirectoryName(folder);
        Texture2D colours = Pictures.Import(
            Path.Combine(package, colour), assets, Pictures.Kind.Colour, 0f, 0f, true);
        Texture2D surfaces = Pictures.Import(
            Path.Combine(package, surface), assets, Pictures.Kind.Numbers, 0f, 0f, true);
        material.SetTexture("_BaseMap", colours);
        material.SetTexture("_SurfaceMap", surfaces);
        material.SetFloat("_Cutoff", cutoff);
        material.SetFloat("_Height", height);
        material.SetVector("_Cylinder", new Vector4(cylinder_m[0], cylinder_m[1], cylinder_m[2], 0f));
        material.SetVector("_Grid", new Vector4(along, variants, margin[0], margin[1]));
        if (isNew) AssetDatabase.CreateAsset(material, path);
        else EditorUtility.SetDirty(material);
        return material;
    }
}

// Assets and objects of an earlier build are found again by their names.
static class Assets
{
    public static string Folder(string name)
    {
        if (!AssetDatabase.IsValidFolder("Assets/Landscapes")) AssetDatabase.CreateFolder("Assets", "Landscapes");
        string folder = "Assets/Landscapes/" + name;
        if (!AssetDatabase.IsValidFolder(folder)) AssetDatabase.CreateFolder("Assets/Landscapes", name);
        return folder;
    }

    // Gives an asset new content, or makes it; what refers to it still does.
    public static T Update<T>(T made, string path) where T : UnityEngine.Object
    {
        T there = AssetDatabase.LoadAssetAtPath<T>(path);
        if (there == null)
        {
            AssetDatabase.CreateAsset(made, path);
            return made;
        }
        EditorUtility.CopySerialized(made, there);
        EditorUtility.SetDirty(there);
        UnityEngine.Object.DestroyImmediate(made);
        return there;
    }

    public static GameObject Child(GameObject parent, string name)
    {
        Transform there = parent.transform.Find(name);
        if (there != null) return there.gameObject;
        GameObject child = new GameObject(name);
        child.transform.SetParent(parent.transform, false);
        return child;
    }

    // What an artist has put into an object that goes stays under the root.
    public static void Remove(GameObject gone, GameObject root)
    {
        while (gone.transform.childCount > 0) gone.transform.GetChild(0).SetParent(root.transform, true);
        UnityEngine.Object.DestroyImmediate(gone);
    }

    public static string Plain(string name)
    {
        foreach (char bad in Path.GetInvalidFileNameChars()) name = name.Replace(bad, '_');
        return name;
    }
}

// Reads the GLB files of a package: triangles with positions, normals, texture coordinates and colours.
static class Glb
{
    // `height` is that of a plant in metres, 0 for everything else.  Species may have the same name, and their materials
    // with it, so these are called after the `species`.
    public static GameObject Load(
        string path, string assets, string name, GameObject parent, float height = 0f, Views views = null,
        string species = null)
    {
        byte[] bytes = File.ReadAllBytes(path);
        int length = BitConverter.ToInt32(bytes, 12);
        Document document = JsonUtility.FromJson<Document>(Encoding.UTF8.GetString(bytes, 20, length));
        int binary = 28 + length;
        Material[] materials = new Material[document.materials.Length];
        for (int i = 0; i < materials.Length; i++)
        {
            string former = document.materials[i].name;
            string called = species == null ? former : species + former.Substring(former.LastIndexOf(' '));
            materials[i] = views != null
                ? views.Make(called, former, Path.GetDirectoryName(path), assets, height)
                : Materials.Make(document, document.materials[i], called, Path.GetDirectoryName(path), assets, height);
        }
        GameObject root = Assets.Child(parent, name);
        foreach (MeshData data in document.meshes)
        {
            List<Material> used = new List<Material>();
            Mesh mesh = MakeMesh(document, data, bytes, binary, materials, used);
            mesh.name = name + "_" + data.name;
            mesh = Assets.Update(mesh, assets + "/" + Assets.Plain(mesh.name) + ".asset");
            GameObject part = Assets.Child(root, data.name);
            MeshFilter filter = part.GetComponent<MeshFilter>();
            if (filter == null)
            {
                filter = part.AddComponent<MeshFilter>();
                part.AddComponent<MeshRenderer>().sharedMaterials = used.ToArray();
            }
            filter.sharedMesh = mesh;
        }
        RemoveOldParts(root, assets, Array.ConvertAll(document.meshes, data => data.name));
        return root;
    }

    // Whether an object shows a mesh of a package that has its name.
    public static bool IsPart(GameObject part, GameObject group, string assets)
    {
        MeshFilter filter = part.GetComponent<MeshFilter>();
        string path = assets + "/" + Assets.Plain(group.name + "_" + part.name) + ".asset";
        return filter != null && part.transform.parent == group.transform
            && AssetDatabase.GetAssetPath(filter.sharedMesh) == path;
    }

    // Says whether there were any, and nothing is left.
    public static bool RemoveOldParts(GameObject group, string assets, ICollection<string> kept)
    {
        bool hadAny = false;
        for (int i = group.transform.childCount - 1; i >= 0; i--)
        {
            GameObject part = group.transform.GetChild(i).gameObject;
            if (kept.Contains(part.name) || !IsPart(part, group, assets)) continue;
            Assets.Remove(part, group);
            hadAny = true;
        }
        return hadAny && group.transform.childCount == 0;
    }

    static Mesh MakeMesh(
        Document document, MeshData data, byte[] bytes, int binary, Material[] materials, List<Material> used)
    {
        List<Vector3> positions = new List<Vector3>(), normals = new List<Vector3>();
        List<Vector2> places = new List<Vector2>(), branches = new List<Vector2>(), flutters = new List<Vector2>();
        List<Color> colours = new List<Color>();
        List<int[]> triangles = new List<int[]>();
        foreach (Primitive primitive in data.primitives)
        {
            int first = positions.Count;
            float[] p = Numbers(document, primitive.attributes.POSITION, bytes, binary);
            float[] n = Numbers(document, primitive.attributes.NORMAL, bytes, binary);
            for (int i = 0; i < p.Length; i += 3)
            {
                positions.Add(new Vector3(p[i], p[i + 1], -p[i + 2]));
                normals.Add(new Vector3(n[i], n[i + 1], -n[i + 2]));
            }
            AddPairs(places, document, primitive.attributes.TEXCOORD_0, bytes, binary, true);
            AddPairs(branches, document, primitive.attributes.TEXCOORD_1, bytes, binary, false);
            AddPairs(flutters, document, primitive.attributes.TEXCOORD_2, bytes, binary, false);
            if (Has(document, primitive.attributes.COLOR_0, "VEC4"))
            {
                float[] c = Numbers(document, primitive.attributes.COLOR_0, bytes, binary);
                for (int i = 0; i < c.Length; i += 4) colours.Add(new Color(c[i], c[i + 1], c[i + 2], c[i + 3]));
            }
            float[] corners = Numbers(document, primitive.indices, bytes, binary);
            int[] indices = new int[corners.Length];
            for (int i = 0; i < indices.Length; i += 3)
            {
                indices[i] = first + (int)corners[i];
                indices[i + 1] = first + (int)corners[i + 2];
                indices[i + 2] = first + (int)corners[i + 1];
            }
            // A shader that draws one side only, such as Standard, gets the other side as triangles of its own.
            if (document.materials[primitive.material].doubleSided && !Materials.DrawsBothSides(materials[primitive.material]))
            {
                int count = positions.Count - first;
                for (int i = first; i < first + count; i++)
                {
                    positions.Add(positions[i]);
                    normals.Add(-1f * normals[i]);
                    if (places.Count > i) places.Add(places[i]);
                    if (colours.Count > i) colours.Add(colours[i]);
                    if (branches.Count > i) branches.Add(branches[i]);
                    if (flutters.Count > i) flutters.Add(flutters[i]);
                }
                int[] both = new int[2 * indices.Length];
                for (int i = 0; i < indices.Length; i++)
                {
                    both[i] = indices[i];
                    both[2 * indices.Length - 1 - i] = indices[i] + count;
                }
                indices = both;
            }
            triangles.Add(indices);
            used.Add(materials[primitive.material]);
        }
        Mesh mesh = new Mesh();
        if (positions.Count > 65535) mesh.indexFormat = IndexFormat.UInt32;
        mesh.SetVertices(positions);
        mesh.SetNormals(normals);
        if (places.Count == positions.Count) mesh.SetUVs(0, places);
        if (branches.Count == positions.Count) mesh.SetUVs(1, branches);
        if (flutters.Count == positions.Count) mesh.SetUVs(2, flutters);
        if (colours.Count == positions.Count) mesh.SetColors(colours);
        mesh.subMeshCount = triangles.Count;
        for (int i = 0; i < triangles.Count; i++) mesh.SetTriangles(triangles[i], i);
        mesh.RecalculateBounds();
        if (places.Count == positions.Count) mesh.RecalculateTangents();
        return mesh;
    }

    static void AddPairs(
        List<Vector2> pairs, Document document, int accessor, byte[] bytes, int binary, bool isFromTheTop)
    {
        if (!Has(document, accessor, "VEC2")) return;
        float[] numbers = Numbers(document, accessor, bytes, binary);
        for (int i = 0; i < numbers.Length; i += 2)
            pairs.Add(new Vector2(numbers[i], isFromTheTop ? 1f - numbers[i + 1] : numbers[i + 1]));
    }

    // JsonUtility leaves the index of what is not in the file at 0, and the first accessor of our files holds positions or
    // triangles, which are of another type.
    static bool Has(Document document, int accessor, string type)
    {
        return document.accessors[accessor].type == type;
    }

    // Floats, indices, and shares of 65535; indices stay below 2^24, so that a float holds them.
    public static float[] Numbers(Document document, int index, byte[] bytes, int binary)
    {
        Accessor accessor = document.accessors[index];
        int start = binary + document.bufferViews[accessor.bufferView].byteOffset;
        int components = accessor.type == "SCALAR" ? 1 : accessor.type[3] - '0';
        float[] numbers = new float[accessor.count * components];
        for (int i = 0; i < numbers.Length; i++)
            switch (accessor.componentType)
            {
                case 5126: numbers[i] = BitConverter.ToSingle(bytes, start + 4 * i); break;
                case 5125: numbers[i] = BitConverter.ToUInt32(bytes, start + 4 * i); break;
                default:
                    numbers[i] = BitConverter.ToUInt16(bytes, start + 2 * i) / (accessor.normalized ? 65535f : 1f);
                    break;
            }
        return numbers;
    }

    [Serializable] public class Document
    {
        public Accessor[] accessors;
        public View[] bufferViews;
        public MeshData[] meshes;
        public MaterialData[] materials;
        public TextureData[] textures;
        public ImageData[] images;
    }
    [Serializable] public class Accessor
    {
        public int bufferView, componentType, count;
        public string type;
        public bool normalized;
    }
    [Serializable] public class View { public int byteOffset; }
    [Serializable] public class MeshData { public string name; public Primitive[] primitives; }
    [Serializable] public class Primitive { public Attributes attributes; public int indices, material; }
    [Serializable] public class Attributes { public int POSITION, NORMAL, TEXCOORD_0, TEXCOORD_1, TEXCOORD_2, COLOR_0; }
    [Serializable] public class MaterialData
    {
        public string name, alphaMode;
        public bool doubleSided;
        public float alphaCutoff;
        public Surface pbrMetallicRoughness;
        public Place normalTexture;
    }
    [Serializable] public class Place { public int index; }
    [Serializable] public class TextureData { public int source; }
    [Serializable] public class ImageData { public string uri; }
    [Serializable] public class Surface
    {
        public float[] baseColorFactor;
        public float roughnessFactor;
        public Place baseColorTexture;
    }
}

// Materials of GLB files in terms of the shaders of the project.  Of those that exist only the height of the plant and our
// own pictures are set again.
static class Materials
{
    // Plants have a shader of their own in the Built-in and the Universal Render Pipeline.  All else, and plants in
    // HDRP, have Standard or Lit, which do not show the colours of vertices and know no wind.
    public static Material Make(
        Glb.Document document, Glb.MaterialData data, string name, string folder, string assets, float height)
    {
        string path = assets + "/" + Assets.Plain(name) + ".mat";
        Material there = Find(path, assets + "/" + Assets.Plain(data.name) + ".mat");
        if (there != null)
        {
            Set(there, "_Height", height);
            if (data.alphaMode == "MASK") ShowPictures(there, document, data, folder, assets, false);
            EditorUtility.SetDirty(there);
            return there;
        }
        Shader usual = Usual();
        Shader plants = height > 0f && !IsHdrp(usual) ? Shader.Find("Landscape/LEVEL_NAME/Plants") : null;
        Material material = new Material(plants != null ? plants : usual) { name = name, enableInstancing = true };
        Glb.Surface surface = data.pbrMetallicRoughness;
        bool hasColour = surface.baseColorFactor != null && surface.baseColorFactor.Length > 0;
        float[] linear = hasColour ? surface.baseColorFactor : new[] { 1f, 1f, 1f, 1f };
        Color colour = new Color(linear[0], linear[1], linear[2], linear[3]).gamma;
        foreach (string property in new[] { "_BaseColor", "_Color" })
            if (material.HasProperty(property)) material.SetColor(property, colour);
        Set(material, "_Metallic", 0f);
        Set(material, "_Smoothness", 1f - surface.roughnessFactor);
        Set(material, "_Glossiness", 1f - surface.roughnessFactor);
        Set(material, "_Height", height);
        Set(material, "_Glow", data.name.EndsWith(" foliage") ? 0.4f : 0f);
        if (data.doubleSided) ShowBothSides(material);
        if (data.alphaMode == "BLEND") Blend(material);
        if (data.alphaMode == "MASK") Cut(material, document, data, folder, assets);
        // HDRP derives keywords and passes from these numbers.
        Type hdrp = Type.GetType(
            "UnityEngine.Rendering.HighDefinition.HDMaterial, Unity.RenderPipelines.HighDefinition.Runtime");
        if (hdrp != null && material.HasProperty("_DoubleSidedEnable"))
            hdrp.GetMethod("ValidateMaterial", new[] { typeof(Material) }).Invoke(null, new object[] { material });
        AssetDatabase.CreateAsset(material, path);
        return material;
    }

    // Materials of plants once had the names of those in the GLB files.
    public static Material Find(string path, string formerPath)
    {
        Material there = AssetDatabase.LoadAssetAtPath<Material>(path);
        if (there == null && formerPath != path && AssetDatabase.LoadAssetAtPath<Material>(formerPath) != null)
        {
            AssetDatabase.MoveAsset(formerPath, path);
            there = AssetDatabase.LoadAssetAtPath<Material>(path);
        }
        return there;
    }

    public static Shader Usual()
    {
        RenderPipelineAsset pipeline = GraphicsSettings.currentRenderPipeline;
        return pipeline != null ? pipeline.defaultMaterial.shader : Shader.Find("Standard");
    }

    public static bool IsHdrp(Shader shader)
    {
        return new Material(shader).HasProperty("_DoubleSidedEnable");
    }

    public static bool DrawsBothSides(Material material)
    {
        return material.HasProperty("_Cull") || material.HasProperty("_DoubleSidedEnable");
    }

    static void ShowBothSides(Material material)
    {
        Set(material, "_Cull", 0f);
        Set(material, "_DoubleSidedEnable", 1f);
        if (material.HasProperty("_DoubleSidedEnable")) material.EnableKeyword("_DOUBLESIDED_ON");
        material.doubleSidedGI = true;
    }

    static void Blend(Material material)
    {
        bool isStandard = material.HasProperty("_Mode");
        Set(material, "_Mode", 3f);
        Set(material, "_Surface", 1f);
        Set(material, "_SurfaceType", 1f);
        Set(material, "_SrcBlend", isStandard ? 1f : 5f); // One, SrcAlpha
        Set(material, "_DstBlend", 10f); // OneMinusSrcAlpha
        Set(material, "_ZWrite", 0f);
        material.EnableKeyword(isStandard ? "_ALPHAPREMULTIPLY_ON" : "_SURFACE_TYPE_TRANSPARENT");
        material.SetOverrideTag("RenderType", "Transparent");
        material.renderQueue = (int)RenderQueue.Transparent;
    }

    // A picture that an artist has put in the place of ours stays.
    static void ShowPictures(
        Material material, Glb.Document document, Glb.MaterialData data, string folder, string assets, bool isNew)
    {
        int colours = document.textures[data.pbrMetallicRoughness.baseColorTexture.index].source;
        int normals = document.textures[data.normalTexture.index].source;
        // In small copies of leaves there are no holes, and twigs would become solid.
        Texture2D picture = Pictures.Import(
            Path.Combine(folder, document.images[colours].uri), assets, Pictures.Kind.Colour, data.alphaCutoff,
            data.doubleSided ? -2f : 0f);
        Texture2D bumps = Pictures.Import(
            Path.Combine(folder, document.images[normals].uri), assets, Pictures.Kind.Normal);
        foreach (string name in new[] { "_BaseMap", "_BaseColorMap", "_MainTex", "_BumpMap", "_NormalMap" })
        {
            if (!material.HasProperty(name)) continue;
            Texture shown = material.GetTexture(name);
            if (isNew || shown == null || AssetDatabase.GetAssetPath(shown).StartsWith(assets + "/"))
                material.SetTexture(name, name == "_BumpMap" || name == "_NormalMap" ? bumps : picture);
        }
    }

    // Leaves out of pictures.
    static void Cut(Material material, Glb.Document document, Glb.MaterialData data, string folder, string assets)
    {
        ShowPictures(material, document, data, folder, assets, true);
        Set(material, "_Mode", 1f);
        Set(material, "_AlphaClip", 1f);
        Set(material, "_AlphaCutoffEnable", 1f);
        Set(material, "_Cutoff", data.alphaCutoff);
        Set(material, "_AlphaCutoff", data.alphaCutoff);
        material.EnableKeyword("_ALPHATEST_ON");
        material.EnableKeyword("_NORMALMAP");
        material.SetOverrideTag("RenderType", "TransparentCutout");
        material.renderQueue = (int)RenderQueue.AlphaTest;
    }

    static void Set(Material material, string name, float value)
    {
        if (material.HasProperty(name)) material.SetFloat(name, value);
    }
}

static class Pictures
{
    public enum Kind { Colour, Normal, Numbers }

    static readonly HashSet<string> imported = new HashSet<string>();

    // Many materials ask for the same picture, which comes in once in each build.
    public static void Begin()
    {
        imported.Clear();
    }

    // A copy of a picture among the assets; what covers less than the cutoff is seen through.  Someone's import settings
    // stay.
    public static Texture2D Import(string file, string assets, Kind kind, float cutoff = 0f, float bias = 0f, bool keepsSize = false)
    {
        string path = assets + "/" + Path.GetFileName(file);
        if (!imported.Add(path)) return AssetDatabase.LoadAssetAtPath<Texture2D>(path);
        bool isNew = !File.Exists(path);
        File.Copy(file, path, true);
        AssetDatabase.ImportAsset(path);
        TextureImporter importer = AssetImporter.GetAtPath(path) as TextureImporter;
        if (isNew && importer != null)
        {
            importer.wrapMode = TextureWrapMode.Repeat;
            importer.mipmapEnabled = true;
            importer.anisoLevel = 8;
            importer.maxTextureSize = 8192;  // the user's own images may be large
            importer.sRGBTexture = kind == Kind.Colour;
            if (kind == Kind.Normal) importer.textureType = TextureImporterType.NormalMap;
            // Smaller copies cover as much as the picture, so that far trees do not become thin.
            importer.mipMapsPreserveCoverage = cutoff > 0f;
            if (cutoff > 0f) importer.alphaTestReferenceValue = cutoff;
            importer.mipMapBias = bias;
            // Usually sides become powers of two, and views would lose a quarter of their texels.
            if (keepsSize) importer.npotScale = TextureImporterNPOTScale.None;
            importer.SaveAndReimport();
        }
        return AssetDatabase.LoadAssetAtPath<Texture2D>(path);
    }
}
}
