// As much of Unity's packages Splines and Mathematics as LandscapePackage.cs asks for by name, each in its own assembly.
#if MATHEMATICS
namespace Unity.Mathematics
{
    public struct float3
    {
        public float x, y, z;
        public float3(float a, float b, float c) { x = a; y = b; z = c; }
    }
}
#else
using System.Collections.Generic;
using Unity.Mathematics;

namespace UnityEngine.Splines
{
    public enum TangentMode { AutoSmooth }
    public struct BezierKnot
    {
        public float3 Position;
        public BezierKnot(float3 place) { Position = place; }
    }
    public class Spline
    {
        public List<BezierKnot> Knots = new List<BezierKnot>();
        public void Clear() { Knots.Clear(); }
        public void Add(BezierKnot knot, TangentMode mode) { Knots.Add(knot); }
    }
    public class SplineContainer : Component
    {
        public Spline Spline { get; } = new Spline();
        public override string ToString() { return "spline of " + Spline.Knots.Count; }
    }
}
#endif
