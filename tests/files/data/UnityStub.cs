// As much of Unity as LandscapePackage.cs uses.  It writes down what it is asked, in order, and keeps assets between
// two builds; as in Unity, weights that are painted on data without an asset are lost.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;

namespace UnityEngine.Rendering
{
    public enum IndexFormat { UInt16, UInt32 }
    public enum RenderQueue { AlphaTest = 2450, Transparent = 3000 }
    public class RenderPipelineAsset : UnityEngine.Object { public Material defaultMaterial, defaultTerrainMaterial; }
    public static class GraphicsSettings { public static RenderPipelineAsset currentRenderPipeline; }
}

namespace UnityEngine
{
    using UnityEngine.Rendering;
    public static class Record
    {
        public static List<string> Lines = new List<string>();
        public static void Add(string line) { Lines.Add(line); }
    }
    public class Object
    {
        public string name = "";
        public bool isDestroyed;
        public static void DestroyImmediate(Object gone)
        {
            gone.isDestroyed = true;
            GameObject thing = gone as GameObject;
            if (thing == null) return;
            foreach (Transform child in thing.transform.children.ToArray()) DestroyImmediate(child.gameObject);
            GameObject.All.Remove(thing);
            if (thing.transform.parent != null) thing.transform.parent.children.Remove(thing.transform);
        }
        public static bool operator ==(Object a, Object b) { return ReferenceEquals(a, b); }
        public static bool operator !=(Object a, Object b) { return !ReferenceEquals(a, b); }
        public override bool Equals(object other) { return ReferenceEquals(this, other); }
        public override int GetHashCode() { return System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(this); }
    }
    public struct Vector2 { public float x, y; public Vector2(float a, float b) { x = a; y = b; } }
    public struct Vector4
    {
        public float x, y, z, w;
        public Vector4(float a, float b, float c, float d) { x = a; y = b; z = c; w = d; }
    }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float a, float b, float c) { x = a; y = b; z = c; }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator *(float s, Vector3 v) { return new Vector3(s * v.x, s * v.y, s * v.z); }
    }
    public struct Color
    {
        public float r, g, b, a;
        public Color(float r, float g, float b, float a = 1f) { this.r = r; this.g = g; this.b = b; this.a = a; }
        public static Color white { get { return new Color(1f, 1f, 1f); } }
        public Color gamma { get { return this; } }
    }
    public struct Color32 { public byte r, g, b, a; }
    public static class Debug { public static void Log(object said) { Record.Add("Log " + said); } }
    public static class Mathf
    {
        public static float Round(float x) { return (float)Math.Round(x); }
        public static float Pow(float a, float b) { return (float)Math.Pow(a, b); }
        public static float Max(float a, float b) { return Math.Max(a, b); }
        public static int Min(int a, int b) { return Math.Min(a, b); }
        public static int CeilToInt(float a) { return (int)Math.Ceiling(a); }
        public static int Clamp(int a, int low, int high) { return Math.Max(low, Math.Min(high, a)); }
    }
    public static class Application { public static string dataPath = "Assets"; }
    public class Component : Object { public GameObject gameObject; public Transform transform { get { return gameObject.transform; } } }
    public class Transform : Component
    {
        public Transform parent;
        public List<Transform> children = new List<Transform>();
        public Vector3 localPosition;
        public Vector3 position
        {
            get { return parent == null ? localPosition : parent.position + localPosition; }
            set { localPosition = parent == null ? value : value + -1f * parent.position; }
        }
        public Quaternion rotation;
        public int childCount { get { return children.Count; } }
        public Transform GetChild(int i) { return children[i]; }
        public void SetParent(Transform p, bool stays = true)
        {
            if (parent != null) parent.children.Remove(this);
            parent = p;
            p.children.Add(this);
        }
        public Transform Find(string n) { return children.FirstOrDefault(c => c.gameObject.name == n); }
    }
    public class GameObject : Object
    {
        public static List<GameObject> All = new List<GameObject>();
        public List<Component> parts = new List<Component>();
        public Transform transform;
        public GameObject(string n) { name = n; transform = new Transform { gameObject = this }; All.Add(this); }
        public bool isOff;
        public static GameObject Find(string n) { return All.FirstOrDefault(o => o.name == n && o.transform.parent == null && !o.isOff); }
        public UnityEngine.SceneManagement.Scene scene { get { return new UnityEngine.SceneManagement.Scene(); } }
        public T[] GetComponentsInChildren<T>(bool alsoOff) where T : Component
        {
            IEnumerable<Component> own = parts;
            if (typeof(T) == typeof(Transform)) own = new[] { transform };
            return own.OfType<T>().Concat(transform.children.SelectMany(c => c.gameObject.GetComponentsInChildren<T>(alsoOff))).ToArray();
        }
        public T AddComponent<T>() where T : Component, new() { T c = new T { gameObject = this }; parts.Add(c); return c; }
        public Component AddComponent(Type t)
        {
            Component made = (Component)Activator.CreateInstance(t);
            made.gameObject = this;
            parts.Add(made);
            return made;
        }
        public Component GetComponent(Type t) { return parts.FirstOrDefault(t.IsInstanceOfType); }
        public T GetComponent<T>() where T : Component { return parts.OfType<T>().FirstOrDefault(); }
        public T[] GetComponentsInChildren<T>() where T : Component
        {
            return parts.OfType<T>().Concat(transform.children.SelectMany(c => c.gameObject.GetComponentsInChildren<T>())).ToArray();
        }
    }
    public static class Extensions
    {
        public static T GetComponent<T>(this Transform t) where T : Component { return t.gameObject.GetComponent<T>(); }
    }
    public class Renderer : Component { public Material[] sharedMaterials; }
    public class MeshRenderer : Renderer { }
    public class MeshFilter : Component { public Mesh sharedMesh; }
    public class LOD { public LOD(float h, Renderer[] r) { } }
    public struct Quaternion
    {
        public float x, y, z;
        public static Quaternion Euler(float x, float y, float z) { return new Quaternion { x = x, y = y, z = z }; }
    }
    public enum LightType { Spot, Directional }
    public enum LightShadows { Soft }
    public enum FogMode { Exponential }
    public class Light : Component
    {
        public LightType type;
        public LightShadows shadows;
        public Color color;
    }
    public static class RenderSettings
    {
        public static bool fog;
        public static FogMode fogMode;
        public static float fogDensity;
        public static Color fogColor;
        public static Light sun;
    }
    public enum LODFadeMode { None, CrossFade }
    public class CapsuleCollider : Component
    {
        public float radius, height;
        public Vector3 center;
    }
    public class MeshCollider : Component { public Mesh sharedMesh; }
    public class LODGroup : Component { public LODFadeMode fadeMode; public bool animateCrossFading; public void SetLODs(LOD[] l) { } public void RecalculateBounds() { } }
    public class Mesh : Object
    {
        public IndexFormat indexFormat;
        public List<Vector3> vertices = new List<Vector3>(), normals = new List<Vector3>();
        public SortedDictionary<int, List<Vector2>> uvs = new SortedDictionary<int, List<Vector2>>();
        public bool hasTangents;
        public List<Color> colours = new List<Color>();
        public List<int[]> triangles = new List<int[]>();
        public int subMeshCount;
        public void SetVertices(List<Vector3> v) { vertices = v; }
        public void SetNormals(List<Vector3> v) { normals = v; }
        public void SetUVs(int c, List<Vector2> v) { uvs[c] = v; }
        public void RecalculateTangents() { hasTangents = true; }
        public void SetColors(List<Color> v) { colours = v; }
        public void SetTriangles(int[] t, int i) { triangles.Add(t); }
        public void RecalculateBounds() { }
    }
    public class Shader : Object
    {
        public HashSet<string> properties = new HashSet<string>();
        public static Shader Find(string n)
        {
            string[] own = n == "Standard" ? "_Color _MainTex _Metallic _Glossiness _Mode _SrcBlend _DstBlend _ZWrite".Split(' ')
                : n == "Landscape/level/Plants" ? "_BaseColor _BaseMap _BumpMap _Cutoff _Cull _Glow _Height _Wind".Split(' ')
                : n == "Landscape/level/Far Plants" ? "_BaseMap _SurfaceMap _Cutoff _Cylinder _Glow _Grid _Height _Wind".Split(' ')
                : n == "URP" ? "_BaseColor _BaseMap _Metallic _Smoothness _Surface _Cull _SrcBlend _DstBlend _ZWrite".Split(' ')
                : n.StartsWith("Landscape/") ? null
                : "_BaseColor _BaseColorMap _NormalMap _AlphaCutoff _AlphaCutoffEnable _Metallic _Smoothness _SurfaceType _DoubleSidedEnable _SrcBlend _DstBlend _ZWrite".Split(' ');
            return own == null ? null : new Shader { name = n, properties = new HashSet<string>(own) };
        }
    }
    public class Material : Object
    {
        public Shader shader;
        public bool enableInstancing, doubleSidedGI;
        public int renderQueue;
        public SortedDictionary<string, string> values = new SortedDictionary<string, string>();
        public Material(Shader s) { shader = s; }
        public bool HasProperty(string n) { return shader.properties.Contains(n); }
        public void SetColor(string n, Color c) { values[n] = c.a.ToString(CultureInfo.InvariantCulture); }
        public Dictionary<string, Texture> textures = new Dictionary<string, Texture>();
        public Texture GetTexture(string n) { Texture found; return textures.TryGetValue(n, out found) ? found : null; }
        public void SetTexture(string n, Texture t) { textures[n] = t; values[n] = UnityEditor.AssetDatabase.GetAssetPath(t); }
        public void SetVector(string n, Vector4 v)
        {
            var numbers = new[] { v.x, v.y, v.z, v.w };
            values[n] = string.Join(",", Array.ConvertAll(numbers, x => x.ToString("0.####", CultureInfo.InvariantCulture)));
        }
        public void SetFloat(string n, float v) { values[n] = v.ToString("0.###", CultureInfo.InvariantCulture); }
        public void EnableKeyword(string k) { values[k] = "on"; }
        public void SetOverrideTag(string k, string v) { values[k] = v; }
    }
    public enum TextureFormat { RGBA32 }
    public enum TextureWrapMode { Repeat, Clamp }
    public class Texture : Object { }
    public class Texture2D : Texture
    {
        public int width, height;
        public TextureWrapMode wrapMode;
        public Texture2D(int w, int h) { width = w; height = h; }
        public Texture2D(int w, int h, TextureFormat f, bool m, bool l) { width = w; height = h; }
        public void SetPixels(Color[] c) { }
        public void Apply() { }
        // Only the size is read: all is the first layer.
        public bool LoadImage(byte[] b) { width = b[18] << 8 | b[19]; height = b[22] << 8 | b[23]; return true; }
        public Color32[] GetPixels32()
        {
            Color32[] all = new Color32[width * height];
            for (int i = 0; i < all.Length; i++) all[i].r = 255;
            return all;
        }
    }
    public class TerrainLayer : Object
    {
        public Texture2D diffuseTexture, normalMapTexture, maskMapTexture;
        public Vector2 tileSize;
        public float normalScale, smoothness;
    }
    public class TreePrototype { public GameObject prefab; }
    public struct TreeInstance
    {
        public Vector3 position;
        public int prototypeIndex;
        public float widthScale, heightScale, rotation;
        public Color color, lightmapColor;
    }
    public enum DetailRenderMode { VertexLit }
    public class DetailPrototype
    {
        public GameObject prototype;
        public bool usePrototypeMesh, useInstancing;
        public DetailRenderMode renderMode;
        public float minHeight, maxHeight, minWidth, maxWidth;
        public Color healthyColor, dryColor;
    }
    public enum DetailScatterMode { CoverageMode, InstanceCountMode }
    public class TerrainData : Object
    {
        public void SetDetailScatterMode(DetailScatterMode mode) { Record.Add("SetDetailScatterMode " + mode); }
        public DetailPrototype[] detailPrototypes = new DetailPrototype[0];
        public int detailSide;
        public int detailWidth { get { return detailSide; } }
        public int detailHeight { get { return detailSide; } }
        public Dictionary<int, int[,]> details = new Dictionary<int, int[,]>();
        public int[,] GetDetailLayer(int x, int y, int width, int height, int layer)
        {
            int[,] counts;
            return details.TryGetValue(layer, out counts) ? counts : new int[height, width];
        }
        public void SetDetailResolution(int side, int patch) { detailSide = side; }
        public void SetDetailLayer(int x, int y, int layer, int[,] counts)
        {
            if (counts.GetLength(0) != detailSide || layer >= detailPrototypes.Length) throw new ArgumentException("details");
            details[layer] = counts;
            GameObject prefab = detailPrototypes[layer].prototype;
            Record.Add("SetDetailLayer " + prefab.name + " " + counts.Cast<int>().Sum() + " side " + detailSide
                + " triangles " + prefab.GetComponent<MeshFilter>().sharedMesh.triangles.Sum(t => t.Length / 3));
        }
        public int heightmapResolution, alphamapResolution;
        public Vector3 size;
        public TerrainLayer[] terrainLayers = new TerrainLayer[0];
        public TreePrototype[] treePrototypes = new TreePrototype[0];
        public TreeInstance[] treeInstances = new TreeInstance[0];
        public bool hasWeights;
        public void SetHeights(int x, int y, float[,] h) { Record.Add("SetHeights"); }
        public void SetAlphamaps(int x, int y, float[,,] w)
        {
            if (w.GetLength(2) != terrainLayers.Length) throw new ArgumentException("weights of other layers");
            hasWeights = UnityEditor.AssetDatabase.GetAssetPath(this) != "";
            Record.Add("SetAlphamaps " + (hasWeights ? "kept" : "lost"));
        }
        public void SetTreeInstances(TreeInstance[] t, bool snap) { treeInstances = t; }
    }
    public class Terrain : Component
    {
        public TerrainData terrainData;
        public bool allowAutoConnect, drawInstanced;
        public Material materialTemplate;
        public new string name { get { return gameObject.name; } set { gameObject.name = value; } }
        public void Flush() { }
        public static GameObject CreateTerrainGameObject(TerrainData d)
        {
            GameObject made = new GameObject("Terrain");
            made.AddComponent<Terrain>().terrainData = d;
            return made;
        }
    }
    public static class JsonUtility
    {
        public static T FromJson<T>(string text) { int at = 0; return (T)Into(typeof(T), Parse(text, ref at)); }
        static object Into(Type type, object value)
        {
            if (value == null) return null;
            if (type == typeof(string)) return value as string;
            if (type.IsPrimitive) return Convert.ChangeType(value, type, CultureInfo.InvariantCulture);
            if (type.IsArray)
            {
                List<object> items = (List<object>)value;
                Array array = Array.CreateInstance(type.GetElementType(), items.Count);
                for (int i = 0; i < items.Count; i++) array.SetValue(Into(type.GetElementType(), items[i]), i);
                return array;
            }
#if MISSING_IS_DEFAULT
            // As the page of Unity 2022.2 says: initialisers of fields do not count, and what is missing is 0 or null.
            object made = System.Runtime.Serialization.FormatterServices.GetUninitializedObject(type);
#else
            // As Unity's serializer does: nothing is null.
            object made = Activator.CreateInstance(type, true);
#endif
            foreach (FieldInfo field in type.GetFields())
            {
                object found;
                if (((Dictionary<string, object>)value).TryGetValue(field.Name, out found)) field.SetValue(made, Into(field.FieldType, found));
#if !MISSING_IS_DEFAULT
                else if (field.FieldType == typeof(string)) field.SetValue(made, "");
                else if (field.FieldType.IsArray) field.SetValue(made, Array.CreateInstance(field.FieldType.GetElementType(), 0));
                else if (field.FieldType.IsClass && field.FieldType != typeof(string) && !field.FieldType.IsArray)
                    field.SetValue(made, Activator.CreateInstance(field.FieldType, true));
#endif
            }
            return made;
        }
        static void Skip(string t, ref int i) { while (char.IsWhiteSpace(t[i]) || t[i] == ',' || t[i] == ':') i++; }
        static object Parse(string t, ref int i)
        {
            Skip(t, ref i);
            if (t[i] == '{')
            {
                var map = new Dictionary<string, object>();
                for (i++, Skip(t, ref i); t[i] != '}'; Skip(t, ref i))
                {
                    string key = (string)Parse(t, ref i);
                    map[key] = Parse(t, ref i);
                }
                i++;
                return map;
            }
            if (t[i] == '[')
            {
                var list = new List<object>();
                for (i++, Skip(t, ref i); t[i] != ']'; Skip(t, ref i)) list.Add(Parse(t, ref i));
                i++;
                return list;
            }
            if (t[i] == '"')
            {
                StringBuilder text = new StringBuilder();
                for (i++; t[i] != '"'; i++) { if (t[i] == '\\') i++; text.Append(t[i]); }
                i++;
                return text.ToString();
            }
            int start = i;
            while (i < t.Length && "{}[],:\n\r \t".IndexOf(t[i]) < 0) i++;
            string word = t.Substring(start, i - start);
            return word == "null" ? null : word == "true" ? true : word == "false" ? false : (object)double.Parse(word, CultureInfo.InvariantCulture);
        }
    }
}

namespace UnityEditor
{
    using UnityEngine;
    public class MenuItem : Attribute { public MenuItem(string path) { } }
    public static class EditorUtility
    {
        public static string OpenFilePanel(string a, string b, string c) { return ""; }
        public static void SetDirty(Object o) { }
        public static void CopySerialized(Object from, Object to)
        {
            Record.Add("Update " + AssetDatabase.GetAssetPath(to));
            foreach (FieldInfo field in from.GetType().GetFields()) field.SetValue(to, field.GetValue(from));
            to.isDestroyed = false;
        }
    }
    public static class AssetDatabase
    {
        public static Dictionary<string, Object> Assets = new Dictionary<string, Object>();
        static HashSet<string> folders = new HashSet<string> { "Assets" };
        public static bool IsValidFolder(string f) { return folders.Contains(f); }
        public static string CreateFolder(string p, string n) { folders.Add(p + "/" + n); Directory.CreateDirectory(p + "/" + n); return ""; }
        public static void ImportAsset(string path)
        {
            if (Assets.ContainsKey(path)) return;
            Record.Add("ImportAsset " + path);
            Assets[path] = new Texture2D(1, 1) { name = path };
        }
        public static void CreateAsset(Object o, string path)
        {
            Record.Add("CreateAsset " + o.GetType().Name + " " + path);
            if (Assets.ContainsKey(path)) throw new InvalidOperationException(path + " gets another GUID");
            Assets[path] = o;
        }
        public static T LoadAssetAtPath<T>(string path) where T : Object
        {
            Object found;
            return Assets.TryGetValue(path, out found) ? found as T : null;
        }
        public static string MoveAsset(string from, string to)
        {
            Assets[to] = Assets[from];
            Assets.Remove(from);
            return "";
        }
        public static string GetAssetPath(Object o) { return Assets.FirstOrDefault(a => a.Value == o).Key ?? ""; }
        public static void SaveAssets() { Record.Add("SaveAssets"); }
    }
    public enum TextureImporterType { Default, NormalMap }
    public class AssetImporter : Object
    {
        public static AssetImporter GetAtPath(string path) { return new TextureImporter { name = path }; }
    }
    public enum TextureImporterNPOTScale { ToNearest, None }
    public class TextureImporter : AssetImporter
    {
        public TextureImporterNPOTScale npotScale;
        public TextureWrapMode wrapMode;
        public TextureImporterType textureType;
        public bool mipmapEnabled, mipMapsPreserveCoverage, sRGBTexture;
        public int anisoLevel, maxTextureSize;
        public float mipMapBias;
        public float alphaTestReferenceValue;
        public void SaveAndReimport()
        {
            Record.Add("import " + name + " " + textureType + " coverage " + mipMapsPreserveCoverage + " " + wrapMode + " sRGB " + sRGBTexture + " bias " + mipMapBias
                + (npotScale == TextureImporterNPOTScale.None ? " exact" : ""));
        }
    }
    public static class PrefabUtility
    {
        public static GameObject SaveAsPrefabAsset(GameObject o, string path)
        {
            CapsuleCollider stem = o.GetComponent<CapsuleCollider>();
            if (stem != null) Record.Add("stem " + o.name + " radius " + stem.radius.ToString(CultureInfo.InvariantCulture) + " height " + stem.height.ToString(CultureInfo.InvariantCulture));
            Object there;
            if (!AssetDatabase.Assets.TryGetValue(path, out there)) AssetDatabase.Assets[path] = there = new GameObject(o.name) { };
            GameObject.All.Remove((GameObject)there);
            ((GameObject)there).parts = o.parts;
            return (GameObject)there;
        }
    }
}

namespace UnityEditor.SceneManagement
{
    using UnityEngine;
    using UnityEngine.SceneManagement;
    public enum OpenSceneMode { Single }
    public enum NewSceneMode { Single }
    public enum NewSceneSetup { DefaultGameObjects }
    public static class EditorSceneManager
    {
        public static Scene OpenScene(string p, OpenSceneMode m) { Record.Add("OpenScene " + p); return new Scene(); }
        public static Scene NewScene(NewSceneSetup s, NewSceneMode m)
        {
            Record.Add("NewScene");
            GameObject.All.Clear();
            new GameObject("Lamp").AddComponent<Light>();
            new GameObject("Directional Light").AddComponent<Light>().type = LightType.Directional;
            return new Scene();
        }
        public static bool MarkSceneDirty(Scene s) { return true; }
        public static bool SaveScene(Scene s, string p) { Record.Add("SaveScene " + p); return true; }
    }
}

namespace UnityEngine.SceneManagement
{
    public struct Scene
    {
        public bool isLoaded { get { return true; } }
        public GameObject[] GetRootGameObjects() { return GameObject.All.Where(o => o.transform.parent == null).ToArray(); }
        public static bool operator ==(Scene a, Scene b) { return true; }
        public static bool operator !=(Scene a, Scene b) { return false; }
        public override bool Equals(object other) { return true; }
        public override int GetHashCode() { return 0; }
    }
    public static class SceneManager
    {
        public static int sceneCount { get { return 1; } }
        public static Scene GetSceneAt(int i) { return new Scene(); }
        public static Scene GetActiveScene() { return new Scene(); }
    }
}

public static class Program
{
    static void List(UnityEngine.GameObject thing, string path)
    {
        path += "/" + thing.name;
        var place = thing.transform.position;
        var body = thing.GetComponent<UnityEngine.MeshCollider>();
        Console.WriteLine("object " + path + " at " + place.x.ToString(CultureInfo.InvariantCulture) + (body == null ? "" : " body " + body.sharedMesh.name)
            + string.Concat(thing.parts.Where(p => p.ToString().StartsWith("spline")).Select(p => " " + p)));
        foreach (var child in thing.transform.children) List(child.gameObject, path);
    }

    public static void Main(string[] arguments)
    {
        if (arguments[2] != "Standard")
            UnityEngine.Rendering.GraphicsSettings.currentRenderPipeline = new UnityEngine.Rendering.RenderPipelineAsset {
                defaultMaterial = new UnityEngine.Material(UnityEngine.Shader.Find(arguments[2])) };
        // Somebody may have a scene with a sun in which he builds by hand.
        if (Environment.GetEnvironmentVariable("OWN_SUN") != null)
        {
            var own = new UnityEngine.GameObject("Own sun").AddComponent<UnityEngine.Light>();
            own.type = UnityEngine.LightType.Directional;
            own.transform.rotation = UnityEngine.Quaternion.Euler(60f, 30f, 0f);
            UnityEngine.RenderSettings.sun = own;
            new UnityEngine.GameObject("Lamp").AddComponent<UnityEngine.Light>();
            Landscape_level.LandscapePackage.Build(arguments[1]);
        }
        else Landscape_level.LandscapePackage.BuildFromCommandLine();
        var root = UnityEngine.GameObject.All.First(o => o.name == "level");
        var data = UnityEditor.AssetDatabase.Assets.Values.OfType<UnityEngine.TerrainData>().First();
        int trees = data.treeInstances.Length;
        // An artist changes a layer, adds one, paints a tree of his own, and puts a house under the root.
        var layer = new UnityEngine.TerrainLayer { name = "moss" };
        data.terrainLayers = data.terrainLayers.Concat(new[] { layer }).ToArray();
        data.treePrototypes = data.treePrototypes.Concat(new[] { new UnityEngine.TreePrototype { prefab = new UnityEngine.GameObject("palm") } }).ToArray();
        data.treeInstances = data.treeInstances.Concat(new[] { new UnityEngine.TreeInstance { prototypeIndex = data.treePrototypes.Length - 1 } }).ToArray();
        new UnityEngine.GameObject("house").transform.SetParent(root.transform);
        if (Environment.GetEnvironmentVariable("PAINTED") == "counts") data.details[2][3, 4] += 1;
        if (Environment.GetEnvironmentVariable("PAINTED") == "kinds")
            data.detailPrototypes = data.detailPrototypes.Concat(data.detailPrototypes.Take(1)).ToArray();
        data.detailPrototypes[0].healthyColor = new UnityEngine.Color(0f, 1f, 0f);
        // He also moves the land, switches it off, copies the sea around, puts a boat into it, and a lamp beside the roads.
        root.isOff = arguments.Length > 3;
        root.transform.position = new UnityEngine.Vector3(100f, 0f, 0f);
        var around = root.transform.Find("sea_around");
        if (arguments.Length > 3 && around != null)
        {
            new UnityEngine.GameObject("boat").transform.SetParent(around.Find("Sea"));
            var copy = new UnityEngine.GameObject("Sea (1)");
            copy.transform.SetParent(around);
            copy.AddComponent<UnityEngine.MeshFilter>().sharedMesh = around.Find("Sea").gameObject.GetComponent<UnityEngine.MeshFilter>().sharedMesh;
            new UnityEngine.GameObject("Road to my house").transform.SetParent(root.transform);
        }
        var material = UnityEditor.AssetDatabase.Assets.Values.OfType<UnityEngine.Material>().First();
        material.SetFloat("_Smoothness", 0.77f);
        // Former versions called materials after the species.
        string former = "Assets/Landscapes/level/oak bark.mat", present = "Assets/Landscapes/level/00_oak bark.mat";
        UnityEngine.Object bark = null;
        if (UnityEditor.AssetDatabase.Assets.TryGetValue(present, out bark)) UnityEditor.AssetDatabase.MoveAsset(present, former);
        var before = UnityEditor.AssetDatabase.Assets.ToDictionary(a => a.Key, a => a.Value);
        int objects = UnityEngine.GameObject.All.Count;
        UnityEngine.Record.Add("AGAIN");
        Landscape_level.LandscapePackage.Build(arguments[arguments.Length > 3 ? 3 : 1]);
        var after = UnityEditor.AssetDatabase.Assets;
        Console.WriteLine(string.Join("\n", UnityEngine.Record.Lines));
        Console.WriteLine("same assets " + (before.Count == after.Count && before.All(a => after.ContainsKey(a.Key) && after[a.Key] == a.Value)));
        Console.WriteLine("same objects " + (objects == UnityEngine.GameObject.All.Count));
        Console.WriteLine("house " + (root.transform.Find("house") != null));
        Console.WriteLine("layers " + data.terrainLayers.Length + " weights " + data.hasWeights);
        Console.WriteLine("details " + data.detailPrototypes.Length + " red " + data.detailPrototypes[0].healthyColor.r);
        Console.WriteLine("trees " + trees + " then " + data.treeInstances.Length);
        if (bark != null)
            Console.WriteLine("material of the name oak bark: " + after.ContainsKey(former) + ", of 00_oak bark: the same " + (after[present] == bark));
        List(root, "");
        Console.WriteLine("sun is " + UnityEngine.RenderSettings.sun.gameObject.name);
        Console.WriteLine("lamp " + UnityEngine.GameObject.All.First(o => o.name == "Lamp").GetComponent<UnityEngine.Light>().type);
        Console.WriteLine("lands " + UnityEngine.GameObject.All.Count(o => o.name == "level"));
        var turn = UnityEngine.RenderSettings.sun.transform.rotation;
        Console.WriteLine("sun " + turn.x + " " + turn.y + " haze " + UnityEngine.RenderSettings.fogDensity.ToString("0.#####", CultureInfo.InvariantCulture));
        Console.WriteLine("edited " + material.values["_Smoothness"]);
        foreach (var l in UnityEditor.AssetDatabase.Assets.Where(a => a.Value is UnityEngine.TerrainLayer).Select(a => (UnityEngine.TerrainLayer)a.Value))
            if (l.maskMapTexture != null)
                Console.WriteLine("layer " + string.Join(" ", new[] { l.diffuseTexture, l.normalMapTexture, l.maskMapTexture }.Select(t => Path.GetFileName(UnityEditor.AssetDatabase.GetAssetPath(t)))) + " " + l.tileSize.x.ToString(CultureInfo.InvariantCulture));
        foreach (var m in UnityEditor.AssetDatabase.Assets.Values.OfType<UnityEngine.Material>())
            Console.WriteLine("material " + m.name + ": " + m.shader.name + " " + string.Join(" ", m.values.Select(v => v.Key + "=" + v.Value)) + " queue=" + m.renderQueue);
        foreach (var m in UnityEditor.AssetDatabase.Assets.Values.OfType<UnityEngine.Mesh>())
            Console.WriteLine("mesh " + m.name + " vertices " + m.vertices.Count + " uvs " + string.Join(",", m.uvs.Select(u => u.Key + ":" + u.Value.Count)) + " tangents " + m.hasTangents + " triangles " + m.triangles.Sum(t => t.Length / 3));
    }
}
