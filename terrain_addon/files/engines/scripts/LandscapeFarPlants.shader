// Far plants, for the Universal and the Built-in Render Pipeline: a quad before the eye for each, on which three views of
// the plant are blended.
Shader "Landscape/LEVEL_NAME/Far Plants"
{
    Properties
    {
        _BaseMap ("Views", 2D) = "white" {}
        _SurfaceMap ("Normals and depth", 2D) = "gray" {}
        _Cutoff ("Cover below which nothing is drawn", Range(0, 1)) = 0.38
        _Glow ("Light that comes through", Range(0, 1)) = 0
        _Height ("Metres of the mesh", Float) = 1
        _Cylinder ("Radius, base and top of the plant in metres", Vector) = (0.5, 0, 1, 0)
        _Grid ("Views along a side, variants, and margin of a view", Vector) = (6, 3, 0.0268, 0.0179)
        _Wind ("Wind in metres a second to the east and north", Vector) = (4, 1.5, 0, 0)
    }

    SubShader
    {
        PackageRequirements { "com.unity.render-pipelines.universal": "12.0" }
        Tags { "RenderPipeline" = "UniversalPipeline" "RenderType" = "TransparentCutout" "Queue" = "AlphaTest" }
        Cull Off

        HLSLINCLUDE
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Core.hlsl"
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Lighting.hlsl"
        #include "LandscapeWind.hlsl"

        CBUFFER_START(UnityPerMaterial)
            half _Cutoff;
            half _Glow;
            float _Height;
            float4 _Cylinder;
            float4 _Grid;
            float4 _Wind;
        CBUFFER_END
        TEXTURE2D(_BaseMap);
        SAMPLER(sampler_BaseMap);
        TEXTURE2D(_SurfaceMap);
        SAMPLER(sampler_SurfaceMap);
        #define LANDSCAPE_PICTURE(at, along, down) SAMPLE_TEXTURE2D_GRAD(_BaseMap, sampler_BaseMap, at, along, down)
        #define LANDSCAPE_SURFACE(at, along, down) SAMPLE_TEXTURE2D_GRAD(_SurfaceMap, sampler_SurfaceMap, at, along, down)
        #include "LandscapeViews.hlsl"

        struct Vertex
        {
            float4 place : POSITION;
            float2 uv : TEXCOORD0;
            float2 branch : TEXCOORD1;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        struct Fragment
        {
            float4 clip : SV_POSITION;
            float3 eye : TEXCOORD0;
            float4 cells : TEXCOORD1;
            float4 shares : TEXCOORD2;
            float4 spot : TEXCOORD3;
            float3 world : TEXCOORD4;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        Fragment Turned(Vertex v)
        {
            Fragment o = (Fragment)0;
            UNITY_SETUP_INSTANCE_ID(v);
            UNITY_TRANSFER_INSTANCE_ID(v, o);
            float3 middle = float3(0, 0.5 * (_Cylinder.y + _Cylinder.z), 0);
            // The sun, which draws shadows, is as far away as its rays are parallel.
            float3 local = UNITY_MATRIX_P[3][3] > 0.5
                ? 1e5 * TransformWorldToObjectDir(UNITY_MATRIX_V[2].xyz, false)
                : TransformWorldToObject(GetCameraPositionWS()) - middle;
            LandscapeView view = LandscapeLook(float2(v.uv.x, 1.0 - v.uv.y), local.xzy, _Cylinder.xyz, _Grid.xy);
            float3 foot = TransformObjectToWorld(float3(0, 0, 0));
            float size = _Height * length(TransformObjectToWorldDir(float3(0, 1, 0), false));
            o.world = TransformObjectToWorld(middle + view.spot.xzy)
                + size * LandscapeMove(v.branch, 0.0, foot, _Wind.xy, _Time.y);
            o.clip = TransformWorldToHClip(o.world);
            o.eye = view.eye;
            o.cells = view.cells;
            o.shares = view.shares;
            o.spot = float4(view.spot, ComputeFogFactor(o.clip.z));
            return o;
        }

        float4 Cut(Fragment i, out float3 normal)
        {
            LandscapeView view;
            view.eye = i.eye;
            view.cells = round(i.cells);
            view.shares = float4(i.shares.xyz, round(i.shares.w));
            view.spot = i.spot.xyz;
            float4 seen = LandscapeSeen(view, _Cylinder.xyz, _Grid.xy, _Grid.zw, normal);
            clip(seen.a - _Cutoff);
            return seen;
        }
        ENDHLSL

        Pass
        {
            Name "ForwardLit"
            // Also drawn where the renderer is Deferred, which then asks for normals in a pass of their own.
            Tags { "LightMode" = "UniversalForwardOnly" }
            HLSLPROGRAM
            #pragma target 3.5
            #pragma vertex Turned
            #pragma fragment Lit
            #pragma multi_compile_instancing
            #pragma multi_compile_fog
            #pragma multi_compile _ LOD_FADE_CROSSFADE
            #pragma multi_compile _ _MAIN_LIGHT_SHADOWS _MAIN_LIGHT_SHADOWS_CASCADE _MAIN_LIGHT_SHADOWS_SCREEN
            #pragma multi_compile_fragment _ _SHADOWS_SOFT

            half4 Lit(Fragment i) : SV_Target
            {
                UNITY_SETUP_INSTANCE_ID(i);
                float3 shape;
                float4 seen = Cut(i, shape);
                half3 normal = TransformObjectToWorldNormal(shape.xzy);
                Light sun = GetMainLight(TransformWorldToShadowCoord(i.world));
                half towards = dot(normal, sun.direction);
                half3 light = sun.color * sun.shadowAttenuation * (saturate(towards) + _Glow * saturate(-towards));
                return half4(MixFog(seen.rgb * (light + SampleSH(normal)), i.spot.w), 1);
            }
            ENDHLSL
        }

        Pass
        {
            Name "ShadowCaster"
            Tags { "LightMode" = "ShadowCaster" }
            ColorMask 0
            HLSLPROGRAM
            #pragma target 3.5
            #pragma vertex Turned
            #pragma fragment Hole
            #pragma multi_compile_instancing

            half4 Hole(Fragment i) : SV_Target
            {
                float3 shape;
                return Cut(i, shape);
            }
            ENDHLSL
        }

        Pass
        {
            Name "DepthOnly"
            Tags { "LightMode" = "DepthOnly" }
            ColorMask 0
            HLSLPROGRAM
            #pragma target 3.5
            #pragma vertex Turned
            #pragma fragment Hole
            #pragma multi_compile_instancing

            half4 Hole(Fragment i) : SV_Target
            {
                float3 shape;
                return Cut(i, shape);
            }
            ENDHLSL
        }

        Pass
        {
            Name "DepthNormalsOnly"
            Tags { "LightMode" = "DepthNormalsOnly" }
            HLSLPROGRAM
            #pragma target 3.5
            #pragma vertex Turned
            #pragma fragment Bent
            #pragma multi_compile_instancing
            #pragma multi_compile_fragment _ _GBUFFER_NORMALS_OCT
            #include "LandscapeNormals.hlsl"

            half4 Bent(Fragment i) : SV_Target
            {
                UNITY_SETUP_INSTANCE_ID(i);
                float3 shape;
                Cut(i, shape);
                return LandscapeNormal(TransformObjectToWorldNormal(shape.xzy));
            }
            ENDHLSL
        }
    }

    SubShader
    {
        Tags { "RenderType" = "TransparentCutout" "Queue" = "AlphaTest" }
        Cull Off
        CGPROGRAM
        #pragma target 3.5
        #pragma surface Paint Leaf vertex:Turn addshadow alphatest:_Cutoff dithercrossfade nolightmap
        #include "LandscapeWind.hlsl"

        sampler2D _BaseMap, _SurfaceMap;
        half _Glow;
        float _Height;
        float4 _Cylinder, _Grid, _Wind;
        #define LANDSCAPE_PICTURE(at, along, down) tex2Dgrad(_BaseMap, at, along, down)
        #define LANDSCAPE_SURFACE(at, along, down) tex2Dgrad(_SurfaceMap, at, along, down)
        #include "LandscapeViews.hlsl"

        struct Input
        {
            float3 eye;
            float4 cells;
            float4 shares;
            float3 spot;
        };

        void Turn(inout appdata_full v, out Input o)
        {
            UNITY_INITIALIZE_OUTPUT(Input, o);
            float3 middle = float3(0, 0.5 * (_Cylinder.y + _Cylinder.z), 0);
            float3 local = UNITY_MATRIX_P[3][3] > 0.5
                ? 1e5 * mul((float3x3)unity_WorldToObject, UNITY_MATRIX_V[2].xyz)
                : mul(unity_WorldToObject, float4(_WorldSpaceCameraPos, 1)).xyz - middle;
            LandscapeView view = LandscapeLook(
                float2(v.texcoord.x, 1.0 - v.texcoord.y), local.xzy, _Cylinder.xyz, _Grid.xy);
            float3 foot = mul(unity_ObjectToWorld, float4(0, 0, 0, 1)).xyz;
            float size = _Height * length(mul((float3x3)unity_ObjectToWorld, float3(0, 1, 0)));
            float3 move = size * LandscapeMove(v.texcoord1.xy, 0.0, foot, _Wind.xy, _Time.y);
            v.vertex.xyz = middle + view.spot.xzy + mul((float3x3)unity_WorldToObject, move);
            // With these, the frame of a normal map is that of the mesh.
            v.normal = float3(0, 0, 1);
            v.tangent = float4(1, 0, 0, 1);
            o.eye = view.eye;
            o.cells = view.cells;
            o.shares = view.shares;
            o.spot = view.spot;
        }

        half4 LightingLeaf(SurfaceOutput s, half3 towards, half atten)
        {
            half facing = dot(s.Normal, towards);
            half3 light = _LightColor0.rgb * atten * (saturate(facing) + _Glow * saturate(-facing));
            return half4(s.Albedo * light, s.Alpha);
        }

        void Paint(Input i, inout SurfaceOutput o)
        {
            LandscapeView view;
            view.eye = i.eye;
            view.cells = round(i.cells);
            view.shares = float4(i.shares.xyz, round(i.shares.w));
            view.spot = i.spot;
            float3 shape;
            float4 seen = LandscapeSeen(view, _Cylinder.xyz, _Grid.xy, _Grid.zw, shape);
            o.Albedo = seen.rgb;
            o.Normal = normalize(shape.xzy);
            o.Alpha = seen.a;
        }
        ENDCG
    }
}
