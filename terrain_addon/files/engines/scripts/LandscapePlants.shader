// Plants in the wind, for the Universal and the Built-in Render Pipeline: bark, leaves that a picture cuts out of twigs,
// and far plants, which are cards.  The colour of a vertex is the shade in the crown.
Shader "Landscape/LEVEL_NAME/Plants"
{
    Properties
    {
        _BaseColor ("Colour", Color) = (1, 1, 1, 1)
        _BaseMap ("Picture", 2D) = "white" {}
        [Normal] _BumpMap ("Normals", 2D) = "bump" {}
        _Cutoff ("Cover below which nothing is drawn", Range(0, 1)) = 0
        [Enum(UnityEngine.Rendering.CullMode)] _Cull ("Side that is not drawn", Float) = 2
        _Glow ("Light that comes through", Range(0, 1)) = 0
        _Height ("Metres of the mesh", Float) = 1
        _Wind ("Wind in metres a second to the east and north", Vector) = (4, 1.5, 0, 0)
    }

    SubShader
    {
        PackageRequirements { "com.unity.render-pipelines.universal": "12.0" }
        Tags { "RenderPipeline" = "UniversalPipeline" "RenderType" = "TransparentCutout" "Queue" = "AlphaTest" }
        Cull [_Cull]

        HLSLINCLUDE
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Core.hlsl"
        #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Lighting.hlsl"
        #include "LandscapeWind.hlsl"

        CBUFFER_START(UnityPerMaterial)
            float4 _BaseMap_ST;
            half4 _BaseColor;
            half _Cutoff;
            half _Cull;
            half _Glow;
            float _Height;
            float4 _Wind;
        CBUFFER_END
        TEXTURE2D(_BaseMap);
        SAMPLER(sampler_BaseMap);
        TEXTURE2D(_BumpMap);
        SAMPLER(sampler_BumpMap);

        struct Vertex
        {
            float4 place : POSITION;
            float3 normal : NORMAL;
            float4 tangent : TANGENT;
            half4 colour : COLOR;
            float2 uv : TEXCOORD0;
            float2 branch : TEXCOORD1;
            float2 flutter : TEXCOORD2;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        struct Fragment
        {
            float4 clip : SV_POSITION;
            float2 uv : TEXCOORD0;
            float3 world : TEXCOORD1;
            half3 normal : TEXCOORD2;
            half4 tangent : TEXCOORD3;
            half3 shade : TEXCOORD4;
            half fog : TEXCOORD5;
            UNITY_VERTEX_INPUT_INSTANCE_ID
        };

        Fragment Moved(Vertex v)
        {
            Fragment o = (Fragment)0;
            UNITY_SETUP_INSTANCE_ID(v);
            UNITY_TRANSFER_INSTANCE_ID(v, o);
            float3 foot = TransformObjectToWorld(float3(0, 0, 0));
            float size = _Height * length(TransformObjectToWorldDir(float3(0, 1, 0), false));
            o.world = TransformObjectToWorld(v.place.xyz)
                + size * LandscapeMove(v.branch, v.flutter.x, foot, _Wind.xy, _Time.y);
            o.clip = TransformWorldToHClip(o.world);
            o.uv = v.uv;
            o.normal = TransformObjectToWorldNormal(v.normal);
            o.tangent = half4(TransformObjectToWorldDir(v.tangent.xyz), v.tangent.w * GetOddNegativeScale());
            o.shade = v.colour.rgb;
            o.fog = ComputeFogFactor(o.clip.z);
            return o;
        }

        half4 Cut(float2 uv)
        {
            half4 texel = SAMPLE_TEXTURE2D(_BaseMap, sampler_BaseMap, uv);
            clip(texel.a - _Cutoff);
            return texel;
        }

        half3 NormalOf(Fragment i, half face)
        {
            half3 bump = UnpackNormal(SAMPLE_TEXTURE2D(_BumpMap, sampler_BumpMap, i.uv));
            half3 side = cross(i.normal, i.tangent.xyz) * i.tangent.w;
            half3 normal = normalize(bump.x * i.tangent.xyz + bump.y * side + bump.z * i.normal);
            return face < 0 ? -normal : normal;
        }
        ENDHLSL

        Pass
        {
            Name "ForwardLit"
            // Also drawn where the renderer is Deferred, which then asks for normals in a pass of their own.
            Tags { "LightMode" = "UniversalForwardOnly" }
            HLSLPROGRAM
            #pragma target 3.0
            #pragma vertex Moved
            #pragma fragment Lit
            #pragma multi_compile_instancing
            #pragma multi_compile_fog
            #pragma multi_compile _ LOD_FADE_CROSSFADE
            #pragma multi_compile _ _MAIN_LIGHT_SHADOWS _MAIN_LIGHT_SHADOWS_CASCADE _MAIN_LIGHT_SHADOWS_SCREEN
            #pragma multi_compile_fragment _ _SHADOWS_SOFT

            half4 Lit(Fragment i, half face : VFACE) : SV_Target
            {
                UNITY_SETUP_INSTANCE_ID(i);
                half4 texel = Cut(i.uv);
                half3 normal = NormalOf(i, face);
                half3 albedo = texel.rgb * _BaseColor.rgb * i.shade;
                Light sun = GetMainLight(TransformWorldToShadowCoord(i.world));
                half towards = dot(normal, sun.direction);
                half3 light = sun.color * sun.shadowAttenuation * (saturate(towards) + _Glow * saturate(-towards));
                return half4(MixFog(albedo * (light + SampleSH(normal)), i.fog), 1);
            }
            ENDHLSL
        }

        Pass
        {
            Name "ShadowCaster"
            Tags { "LightMode" = "ShadowCaster" }
            ColorMask 0
            HLSLPROGRAM
            #pragma target 3.0
            #pragma vertex Cast
            #pragma fragment Hole
            #pragma multi_compile_instancing
            #include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Shadows.hlsl"
            float3 _LightDirection;

            Fragment Cast(Vertex v)
            {
                Fragment o = Moved(v);
                o.clip = TransformWorldToHClip(ApplyShadowBias(o.world, o.normal, _LightDirection));
                return o;
            }

            half4 Hole(Fragment i) : SV_Target
            {
                return Cut(i.uv);
            }
            ENDHLSL
        }

        Pass
        {
            Name "DepthOnly"
            Tags { "LightMode" = "DepthOnly" }
            ColorMask 0
            HLSLPROGRAM
            #pragma target 3.0
            #pragma vertex Moved
            #pragma fragment Hole
            #pragma multi_compile_instancing

            half4 Hole(Fragment i) : SV_Target
            {
                return Cut(i.uv);
            }
            ENDHLSL
        }

        Pass
        {
            Name "DepthNormalsOnly"
            Tags { "LightMode" = "DepthNormalsOnly" }
            HLSLPROGRAM
            #pragma target 3.0
            #pragma vertex Moved
            #pragma fragment Bent
            #pragma multi_compile_instancing
            #pragma multi_compile_fragment _ _GBUFFER_NORMALS_OCT
            #include "LandscapeNormals.hlsl"

            half4 Bent(Fragment i, half face : VFACE) : SV_Target
            {
                Cut(i.uv);
                return LandscapeNormal(NormalOf(i, face));
            }
            ENDHLSL
        }
    }

    SubShader
    {
        Tags { "RenderType" = "TransparentCutout" "Queue" = "AlphaTest" }
        Cull [_Cull]
        CGPROGRAM
        #pragma target 3.0
        #pragma surface Paint Leaf vertex:Sway addshadow alphatest:_Cutoff dithercrossfade
        #include "LandscapeWind.hlsl"

        sampler2D _BaseMap, _BumpMap;
        fixed4 _BaseColor;
        half _Glow;
        float _Height;
        float4 _Wind;

        struct Input
        {
            float2 uv_BaseMap;
            float4 colour : COLOR;
            half face : VFACE;
        };

        void Sway(inout appdata_full v)
        {
            float3 foot = mul(unity_ObjectToWorld, float4(0, 0, 0, 1)).xyz;
            float size = _Height * length(mul((float3x3)unity_ObjectToWorld, float3(0, 1, 0)));
            float3 move = size * LandscapeMove(v.texcoord1.xy, v.texcoord2.x, foot, _Wind.xy, _Time.y);
            v.vertex.xyz += mul((float3x3)unity_WorldToObject, move);
        }

        half4 LightingLeaf(SurfaceOutput s, half3 towards, half atten)
        {
            half facing = dot(s.Normal, towards);
            half3 light = _LightColor0.rgb * atten * (saturate(facing) + _Glow * saturate(-facing));
            return half4(s.Albedo * light, s.Alpha);
        }

        void Paint(Input i, inout SurfaceOutput o)
        {
            fixed4 texel = tex2D(_BaseMap, i.uv_BaseMap);
            o.Albedo = texel.rgb * _BaseColor.rgb * i.colour.rgb;
            o.Normal = UnpackNormal(tex2D(_BumpMap, i.uv_BaseMap)) * (i.face < 0 ? -1 : 1);
            o.Alpha = texel.a;
        }
        ENDCG
    }
}
