// Builds terrains, trees and water of a landscape package: Tools > Landscape > Build from Package.
//
// Without a window:   Unity -batchmode -quit -projectPath PROJECT -executeMethod LandscapePackage.BuildFromCommandLine
//                     -landscape Assets/FOLDER
//
// A place of the land (x east, y north, z up) is (x, z, y) here.  GLB files hold (x, z, -y), so their third number
// changes its sign and triangles turn round; they are read here, because other importers mirror them another way.

using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using UnityEditor;
using UnityEngine;
using UnityEngine.Rendering;

public static class LandscapePackage
{
    const string ManifestName = "manifest.json";

    [MenuItem("Tools/Landscape/Build from Package...")]
    public static void BuildFromMenu()
    {
        string path = EditorUtility.OpenFilePanel("Manifest of a landscape package", Application.dataPath, "json");
        if (path.Length > 0) Build(Path.GetDirectoryName(path));
    }

    public static void BuildFromCommandLine()
    {
        string[] arguments = Environment.GetCommandLineArgs();
        int place = Array.IndexOf(arguments, "-landscape");
        if (place < 0 || place + 1 >= arguments.Length) throw new ArgumentException("-landscape FOLDER is missing");
        Build(arguments[place + 1]);
    }

    public static GameObject Build(string folder)
    {
        Manifest manifest = JsonUtility.FromJson<Manifest>(File.ReadAllText(Path.Combine(folder, ManifestName)));
        if (manifest.format != "landscape package" || manifest.engine != "unity")
            throw new InvalidDataException(folder + " holds no landscape package for Unity");
        string assets = NewAssetFolder(folder);
        GameObject root = new GameObject("Landscape");
        TerrainLayer[] layers = MakeLayers(manifest, assets);
        TreePrototype[] prototypes = MakePrototypes(manifest, folder, assets);
        foreach (Tile tile in manifest.tiles)
            MakeTerrain(manifest, tile, folder, assets, layers, prototypes).transform.SetParent(root.transform);
        foreach (string file in manifest.water)
        {
            GameObject water = Glb.Load(Path.Combine(folder, file), assets, "Water");
            water.transform.SetParent(root.transform);
        }
        if (!string.IsNullOrEmpty(manifest.roads))
            Glb.Load(Path.Combine(folder, manifest.roads), assets, "Roads").transform.SetParent(root.transform);
        if (!string.IsNullOrEmpty(manifest.road_records))
        {
            string text = File.ReadAllText(Path.Combine(folder, manifest.road_records));
            foreach (Road road in JsonUtility.FromJson<Records>(text).roads)
                AddSpline(root, road);
        }
        AssetDatabase.SaveAssets();
        Undo.RegisterCreatedObjectUndo(root, "Build landscape");
        return root;
    }

    // The middle of a road as a spline, if the project has the package com.unity.splines, which is asked for by name
    // so that this script compiles without it.
    static void AddSpline(GameObject root, Road road)
    {
        Type container = Type.GetType("UnityEngine.Splines.SplineContainer, Unity.Splines");
        if (container == null) return;
        Type knot = Type.GetType("UnityEngine.Splines.BezierKnot, Unity.Splines");
        Type place = Type.GetType("Unity.Mathematics.float3, Unity.Mathematics");
        Type mode = Type.GetType("UnityEngine.Splines.TangentMode, Unity.Splines");
        GameObject line = new GameObject("Road " + road.name);
        line.transform.SetParent(root.transform);
        object spline = container.GetProperty("Spline").GetValue(line.AddComponent(container));
        var add = spline.GetType().GetMethod("Add", new[] { knot, mode });
        object smooth = Enum.Parse(mode, "AutoSmooth");
        for (int i = 0; i < road.points_m.x.Length; i++)
        {
            object point = Activator.CreateInstance(place, road.points_m.x[i], road.points_m.z[i], road.points_m.y[i]);
            add.Invoke(spline, new[] { Activator.CreateInstance(knot, point), smooth });
        }
    }

    static string NewAssetFolder(string folder)
    {
        string name = Path.GetFileName(folder.TrimEnd('/', '\\'));
        if (!AssetDatabase.IsValidFolder("Assets/Landscapes")) AssetDatabase.CreateFolder("Assets", "Landscapes");
        AssetDatabase.DeleteAsset("Assets/Landscapes/" + name);
        return AssetDatabase.GUIDToAssetPath(AssetDatabase.CreateFolder("Assets/Landscapes", name));
    }

    static Terrain MakeTerrain(
        Manifest manifest, Tile tile, string folder, string assets, TerrainLayer[] layers, TreePrototype[] prototypes)
    {
        int samples = manifest.placement.heightmap_resolution;
        float[] size = manifest.placement.terrain_size;
        TerrainData data = new TerrainData { heightmapResolution = samples };
        // The resolution changes the size, so the size comes after it.
        data.size = new Vector3(size[0], size[1], size[2]);
        data.SetHeights(0, 0, ReadHeights(Path.Combine(folder, tile.files.height), samples));
        data.terrainLayers = layers;
        data.alphamapResolution = manifest.placement.alphamap_resolution;
        data.SetAlphamaps(0, 0, ReadWeights(folder, tile.files, data.alphamapResolution, layers.Length));
        data.treePrototypes = prototypes;
        string name = "Terrain_" + tile.column + "_" + tile.row;
        AssetDatabase.CreateAsset(data, assets + "/" + name + ".asset");
        Terrain terrain = Terrain.CreateTerrainGameObject(data).GetComponent<Terrain>();
        terrain.name = name;
        terrain.transform.position = new Vector3(tile.west_m, manifest.height.lowest_m, tile.south_m);
        terrain.allowAutoConnect = true;
        terrain.drawInstanced = true;
        if (GraphicsSettings.currentRenderPipeline != null)
            terrain.materialTemplate = GraphicsSettings.currentRenderPipeline.defaultTerrainMaterial;
        if (!string.IsNullOrEmpty(tile.files.trees))
            data.SetTreeInstances(ReadTrees(Path.Combine(folder, tile.files.trees)), false);
        terrain.Flush();
        return terrain;
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
    static float[,,] ReadWeights(string folder, Files files, int samples, int layers)
    {
        float[,,] weights = new float[samples, samples, layers];
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

    // One colour each, until an artist puts textures in their place.
    static TerrainLayer[] MakeLayers(Manifest manifest, string assets)
    {
        TerrainLayer[] layers = new TerrainLayer[manifest.layers.Length];
        for (int i = 0; i < layers.Length; i++)
        {
            float[] linear = manifest.layers[i].linear_colour;
            Color colour = new Color(linear[0], linear[1], linear[2]).gamma;
            colour.a = 0f;
            Texture2D texture = new Texture2D(4, 4);
            Color[] pixels = new Color[16];
            for (int k = 0; k < pixels.Length; k++) pixels[k] = colour;
            texture.SetPixels(pixels);
            texture.Apply();
            AssetDatabase.CreateAsset(texture, assets + "/" + manifest.layers[i].name + "_colour.asset");
            layers[i] = new TerrainLayer { diffuseTexture = texture, tileSize = new Vector2(10f, 10f) };
            AssetDatabase.CreateAsset(layers[i], assets + "/" + manifest.layers[i].name + ".terrainlayer");
        }
        return layers;
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
                    string file = variant.lods[level];
                    GameObject model = Glb.Load(
                        Path.Combine(folder, file), assets, Path.GetFileNameWithoutExtension(file));
                    model.transform.SetParent(root.transform, false);
                    float smallest = level == levels.Length - 1 ? 0.005f : Mathf.Pow(0.3f, level + 1);
                    levels[level] = new LOD(smallest, model.GetComponentsInChildren<Renderer>());
                }
                LODGroup group = root.AddComponent<LODGroup>();
                group.SetLODs(levels);
                group.RecalculateBounds();
                GameObject prefab = PrefabUtility.SaveAsPrefabAsset(root, assets + "/" + root.name + ".prefab");
                UnityEngine.Object.DestroyImmediate(root);
                prototypes.Add(new TreePrototype { prefab = prefab });
            }
        return prototypes.ToArray();
    }

    [Serializable] class Manifest
    {
        public string format, engine, roads, road_records;
        public Height height;
        public Placement placement;
        public Layer[] layers;
        public Species[] species;
        public string[] water;
        public Tile[] tiles;
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
    [Serializable] class Layer { public string name; public float[] linear_colour; }
    [Serializable] class Species { public string name; public Variant[] variants; }
    [Serializable] class Variant { public string[] lods; }
    [Serializable] class Tile
    {
        public int row, column;
        public float west_m, south_m;
        public Files files;
    }
    [Serializable] class Files { public string height, weights_0, weights_1, trees; }
    [Serializable] class Trees { public float[] x, y, z, scale, rotation; public int[] prototype; }
}

// Reads the GLB files of a package: triangles with positions, normals, texture coordinates and colours.
static class Glb
{
    public static GameObject Load(string path, string assets, string name)
    {
        byte[] bytes = File.ReadAllBytes(path);
        int length = BitConverter.ToInt32(bytes, 12);
        Document document = JsonUtility.FromJson<Document>(Encoding.UTF8.GetString(bytes, 20, length));
        int binary = 28 + length;
        Material[] materials = new Material[document.materials.Length];
        for (int i = 0; i < materials.Length; i++) materials[i] = MakeMaterial(document.materials[i], assets, name);
        GameObject root = new GameObject(name);
        foreach (MeshData data in document.meshes)
        {
            List<Material> used = new List<Material>();
            Mesh mesh = MakeMesh(document, data, bytes, binary, materials, used);
            mesh.name = name + "_" + data.name;
            AssetDatabase.CreateAsset(mesh, AssetDatabase.GenerateUniqueAssetPath(assets + "/" + Plain(mesh.name) + ".asset"));
            GameObject part = new GameObject(data.name);
            part.transform.SetParent(root.transform, false);
            part.AddComponent<MeshFilter>().sharedMesh = mesh;
            part.AddComponent<MeshRenderer>().sharedMaterials = used.ToArray();
        }
        return root;
    }

    static Mesh MakeMesh(
        Document document, MeshData data, byte[] bytes, int binary, Material[] materials, List<Material> used)
    {
        List<Vector3> positions = new List<Vector3>(), normals = new List<Vector3>();
        List<Vector2> places = new List<Vector2>();
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
            if (primitive.attributes.TEXCOORD_0 >= 0)
            {
                float[] t = Numbers(document, primitive.attributes.TEXCOORD_0, bytes, binary);
                for (int i = 0; i < t.Length; i += 2) places.Add(new Vector2(t[i], 1f - t[i + 1]));
            }
            if (primitive.attributes.COLOR_0 >= 0)
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
            triangles.Add(indices);
            used.Add(materials[primitive.material]);
        }
        Mesh mesh = new Mesh();
        if (positions.Count > 65535) mesh.indexFormat = IndexFormat.UInt32;
        mesh.SetVertices(positions);
        mesh.SetNormals(normals);
        if (places.Count == positions.Count) mesh.SetUVs(0, places);
        if (colours.Count == positions.Count) mesh.SetColors(colours);
        mesh.subMeshCount = triangles.Count;
        for (int i = 0; i < triangles.Count; i++) mesh.SetTriangles(triangles[i], i);
        mesh.RecalculateBounds();
        return mesh;
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

    static Material MakeMaterial(MaterialData data, string assets, string name)
    {
        RenderPipelineAsset pipeline = GraphicsSettings.currentRenderPipeline;
        Shader shader = pipeline != null ? pipeline.defaultMaterial.shader : Shader.Find("Standard");
        float[] linear = data.pbrMetallicRoughness.baseColorFactor;
        Material material = new Material(shader) { name = data.name, enableInstancing = true };
        material.color = new Color(linear[0], linear[1], linear[2], linear[3]).gamma;
        string path = assets + "/" + Plain(name + "_" + data.name) + ".mat";
        AssetDatabase.CreateAsset(material, AssetDatabase.GenerateUniqueAssetPath(path));
        return material;
    }

    static string Plain(string name)
    {
        foreach (char bad in Path.GetInvalidFileNameChars()) name = name.Replace(bad, '_');
        return name;
    }

    [Serializable] public class Document
    {
        public Accessor[] accessors;
        public View[] bufferViews;
        public MeshData[] meshes;
        public MaterialData[] materials;
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
    [Serializable] public class Attributes { public int POSITION, NORMAL, TEXCOORD_0 = -1, COLOR_0 = -1; }
    [Serializable] public class MaterialData { public string name; public Surface pbrMetallicRoughness; }
    [Serializable] public class Surface { public float[] baseColorFactor; }
}
