// How far Unreal moves a corner of a far plant, in centimetres of the world: to a quad before the eye.
// Eye and Own are seen from the foot of the plant; East and Up are axes of the plant, as long as its scale.
float size = length(Up);
float3 north = cross(East, Up) / size;
float3 middle = 50.0 * (Cylinder.y + Cylinder.z) * Up;
float3 away = Eye - middle;
float3 eye = float3(dot(away, East), dot(away, north), dot(away, Up)) / (100.0 * size * size);
float3 ahead = normalize(eye);
float level = length(ahead.xy);
float3 right = level > 0.0001 ? float3(-ahead.y, ahead.x, 0.0) / level : float3(1.0, 0.0, 0.0);
float above = 0.5 * level * (Cylinder.z - Cylinder.y) + abs(ahead.z) * Cylinder.x;
float2 corner = float2(UV.x - 0.5, 0.5 - frac(UV.y * Grid.y)) * 4.0;
// What is near looks larger than from far away.
float3 spot = 1.15 * (corner.x * Cylinder.x * right + corner.y * above * cross(ahead, right));
return middle + 100.0 * (spot.x * East + spot.y * north + spot.z * Up) - Own + Sway;
