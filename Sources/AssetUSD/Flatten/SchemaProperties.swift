/// The properties that the schemas of OpenUSD 26.11 build into prims: what they say of type and variability holds whatever
/// layers say.
///
/// A schema starts at the margin: `Name : Base + API + …`; below stand the properties that it adds or types anew, `*` for the
/// instance name of an API that is applied several times.
enum SchemaProperties {
    static let text = """
        CollectionAPI
            uniform opaque collection:*; rel collection:*:excludes; uniform token collection:*:expansionRule;
            uniform bool collection:*:includeRoot; rel collection:*:includes; uniform pathExpression collection:*:membershipExpression;
            uniform token collection:*:mode;
        ColorSpaceAPI
            uniform token colorSpace:name;
        ColorSpaceDefinitionAPI
            float2 colorSpaceDefinition:*:blueChroma; float colorSpaceDefinition:*:gamma; float2 colorSpaceDefinition:*:greenChroma;
            float colorSpaceDefinition:*:linearBias; uniform token colorSpaceDefinition:*:name; float2 colorSpaceDefinition:*:redChroma;
            float2 colorSpaceDefinition:*:whitePoint;
        BackPlateAPI
            asset backPlate:*:alpha:image; float backPlate:*:depth:cameraSpaceOffset; asset backPlate:*:depth:image;
            float backPlate:*:depth:minOffset; float backPlate:*:depth:normalizingFactor; asset backPlate:*:image; float3 backPlate:*:luma:offset;
            +
            float3 backPlate:*:luma:power; float3 backPlate:*:luma:slope; token backPlate:*:plateVisibility; float3 backPlate:*:rotateXYZ:tweak;
            +
            float2 backPlate:*:scale:tweak; float3 backPlate:*:translate:tweak;
        GeomModelAPI
            uniform bool model:applyDrawMode; uniform token model:cardGeometry; asset model:cardTextureXNeg; asset model:cardTextureXPos;
            asset model:cardTextureYNeg; asset model:cardTextureYPos; asset model:cardTextureZNeg; asset model:cardTextureZPos;
            uniform token model:cardVisibility; uniform token model:drawMode; uniform float3 model:drawModeColor;
        MotionAPI
            float motion:blurScale; int motion:nonlinearSampleCount; float motion:velocityScale;
        VisibilityAPI
            uniform token guideVisibility; uniform token proxyVisibility; uniform token renderVisibility;
        ParticleFieldKernelBaseAPI
        ParticleFieldKernelConstantSurfletAPI + ParticleFieldKernelBaseAPI
        ParticleFieldKernelGaussianEllipsoidAPI + ParticleFieldKernelBaseAPI
        ParticleFieldKernelGaussianSurfletAPI + ParticleFieldKernelBaseAPI
        ParticleFieldOpacityAttributeAPI
            float[] opacities; half[] opacitiesh;
        ParticleFieldOrientationAttributeAPI
            quatf[] orientations; quath[] orientationsh;
        ParticleFieldPositionAttributeAPI + ParticleFieldPositionBaseAPI
            point3f[] positions; point3h[] positionsh;
        ParticleFieldPositionBaseAPI
        ParticleFieldRadianceBaseAPI
        ParticleFieldScaleAttributeAPI
            float3[] scales; half3[] scalesh;
        ParticleFieldSphericalHarmonicsAttributeAPI + ParticleFieldRadianceBaseAPI
            float3[] radiance:sphericalHarmonicsCoefficients; half3[] radiance:sphericalHarmonicsCoefficientsh;
            uniform int radiance:sphericalHarmonicsDegree;
        AssetPreviewsAPI
        AuthorshipAPI
            uniform string[] authorship:*:contact; uniform string[] authorship:*:copyrightOwner; uniform string authorship:*:created;
            uniform string[] authorship:*:creator; uniform string authorship:*:description; uniform string authorship:*:digitalSourceType;
            uniform string[] authorship:*:inputs; uniform string authorship:*:instanceID; uniform string authorship:*:softwarePackage;
            uniform string authorship:*:softwareVersion; uniform string authorship:*:usageTerms;
        CoordSysAPI
            rel coordSys:*:binding;
        MaterialBindingAPI
        NodeDefAPI
            uniform token info:id; uniform token info:implementationSource;
        LODOverrideAPI
            float lod:override:index; token lod:override:mode;
        LODRootAPI
            int lod:default:index; rel lod:heuristics;
        LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
            color3f inputs:color; float inputs:colorTemperature; float inputs:diffuse; bool inputs:enableColorTemperature; float inputs:exposure;
            +
            float inputs:intensity; bool inputs:normalize; float inputs:specular; rel light:filters; uniform token light:materialSyncMode;
            uniform token light:shaderId;
        LightListAPI
            rel lightList; token lightList:cacheBehavior;
        ListAPI
            rel lightList; token lightList:cacheBehavior;
        MeshLightAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        ShadowAPI
            color3f inputs:shadow:color; float inputs:shadow:distance; bool inputs:shadow:enable; float inputs:shadow:falloff;
            float inputs:shadow:falloffGamma;
        ShapingAPI
            float inputs:shaping:cone:angle; float inputs:shaping:cone:softness; float inputs:shaping:focus; color3f inputs:shaping:focusTint;
            +
            float inputs:shaping:ies:angleScale; asset inputs:shaping:ies:file; bool inputs:shaping:ies:normalize;
        VolumeLightAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        ClaimsAPI
        HydraRenderPassAPI
            uniform token hydra:rendererName;
        HydraGenerativeProceduralAPI
            token primvars:hdGp:proceduralType; token proceduralSystem;
        HydraPrimAPI
            uniform bool hydra:expandInstances;
        RiMaterialAPI
            token outputs:ri:displacement; token outputs:ri:surface; token outputs:ri:volume;
        RiSplineAPI
        StatementsAPI
        SemanticsLabelsAPI
            token[] semantics:labels:*;
        SkelBindingAPI
            matrix4d primvars:skel:geomBindTransform; int[] primvars:skel:jointIndices; float[] primvars:skel:jointWeights;
            uniform token primvars:skel:skinningMethod; rel skel:animationSource; rel skel:blendShapeTargets; uniform token[] skel:blendShapes;
            +
            uniform token[] skel:joints; rel skel:skeleton;
        AccessibilityAPI
            string accessibility:*:description; string accessibility:*:label; token accessibility:*:priority;
        NodeGraphNodeAPI
            uniform color3f ui:nodegraph:node:displayColor; uniform string ui:nodegraph:node:docURI;
            uniform token ui:nodegraph:node:expansionState; uniform asset ui:nodegraph:node:icon; uniform float2 ui:nodegraph:node:pos;
            uniform float2 ui:nodegraph:node:size; uniform int ui:nodegraph:node:stackingOrder;
        SceneGraphPrimAPI
            uniform token ui:displayGroup; uniform token ui:displayName;
        PhysicsArticulationRootAPI
        PhysicsCollisionAPI
            bool physics:collisionEnabled; rel physics:simulationOwner;
        PhysicsDriveAPI
            float drive:*:physics:damping; float drive:*:physics:maxForce; float drive:*:physics:stiffness; float drive:*:physics:targetPosition;
            +
            float drive:*:physics:targetVelocity; uniform token drive:*:physics:type;
        PhysicsFilteredPairsAPI
            rel physics:filteredPairs;
        PhysicsLimitAPI
            float limit:*:physics:high; float limit:*:physics:low;
        PhysicsMassAPI
            point3f physics:centerOfMass; float physics:density; float3 physics:diagonalInertia; float physics:mass; quatf physics:principalAxes;
            +
        PhysicsMaterialAPI
            float physics:density; float physics:dynamicFriction; float physics:restitution; float physics:staticFriction;
        PhysicsMeshCollisionAPI
            uniform token physics:approximation;
        PhysicsRigidBodyAPI
            vector3f physics:angularVelocity; bool physics:kinematicEnabled; bool physics:rigidBodyEnabled; rel physics:simulationOwner;
            uniform bool physics:startsAsleep; vector3f physics:velocity;
        Typed
        Imageable : Typed
            rel proxyPrim; uniform token purpose; token visibility;
        Scope : Imageable
        Xformable : Imageable
            uniform token[] xformOpOrder;
        Boundable : Xformable
            float3[] extent;
        Gprim : Boundable
            uniform bool doubleSided; uniform token orientation; color3f[] primvars:displayColor; float[] primvars:displayOpacity;
        Capsule : Gprim
            uniform token axis; double height; double radius;
        Capsule_1 : Gprim
            uniform token axis; double height; double radiusBottom; double radiusTop;
        Cone : Gprim
            uniform token axis; double height; double radius;
        Cube : Gprim
            double size;
        Cylinder : Gprim
            uniform token axis; double height; double radius;
        Cylinder_1 : Gprim
            uniform token axis; double height; double radiusBottom; double radiusTop;
        Plane : Gprim
            uniform token axis; double length; double width;
        PointBased : Gprim
            vector3f[] accelerations; normal3f[] normals; point3f[] points; vector3f[] velocities;
        Curves : PointBased
            int[] curveVertexCounts; float[] widths;
        BasisCurves : Curves
            uniform token basis; uniform token type; uniform token wrap;
        HermiteCurves : Curves
            vector3f[] tangents;
        NurbsCurves : Curves
            double[] knots; int[] order; double[] pointWeights; double2[] ranges;
        Mesh : PointBased
            int[] cornerIndices; float[] cornerSharpnesses; int[] creaseIndices; int[] creaseLengths; float[] creaseSharpnesses;
            token faceVaryingLinearInterpolation; int[] faceVertexCounts; int[] faceVertexIndices; int[] holeIndices; token interpolateBoundary;
            +
            uniform token subdivisionScheme; token triangleSubdivisionRule;
        NurbsPatch : PointBased
            double[] pointWeights; int[] trimCurve:counts; double[] trimCurve:knots; int[] trimCurve:orders; double3[] trimCurve:points;
            double2[] trimCurve:ranges; int[] trimCurve:vertexCounts; uniform token uForm; double[] uKnots; int uOrder; double2 uRange;
            int uVertexCount; uniform token vForm; double[] vKnots; int vOrder; double2 vRange; int vVertexCount;
        Points : PointBased
            int64[] ids; float[] widths;
        TetMesh : PointBased
            int3[] surfaceFaceVertexIndices; int4[] tetVertexIndices;
        Sphere : Gprim
            double radius;
        ParticleField : Gprim
        ParticleField3DGaussianSplat : ParticleField
            + ParticleFieldPositionAttributeAPI + ParticleFieldPositionBaseAPI + ParticleFieldOrientationAttributeAPI
            + ParticleFieldScaleAttributeAPI + ParticleFieldOpacityAttributeAPI + ParticleFieldKernelGaussianEllipsoidAPI
            + ParticleFieldKernelBaseAPI + ParticleFieldSphericalHarmonicsAttributeAPI + ParticleFieldRadianceBaseAPI
            uniform token projectionModeHint; uniform token sortingModeHint;
        Volume : Gprim
        PointInstancer : Boundable
            vector3f[] accelerations; vector3f[] angularVelocities; int64[] ids; int64[] invisibleIds; quath[] orientations;
            quatf[] orientationsf; point3f[] positions; int[] protoIndices; rel prototypes; float3[] scales; vector3f[] velocities;
        BoundableLightBase : Boundable + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        CylinderLight : BoundableLightBase
            float inputs:length; float inputs:radius; bool treatAsLine;
        DiskLight : BoundableLightBase
            float inputs:radius;
        PortalLight : BoundableLightBase
            float inputs:height; float inputs:width;
        RectLight : BoundableLightBase
            float inputs:height; asset inputs:texture:file; float inputs:width;
        SphereLight : BoundableLightBase
            float inputs:radius; bool treatAsPoint;
        GenerativeProcedural : Boundable
            token proceduralSystem;
        SkelRoot : Boundable
        Skeleton : Boundable
            uniform matrix4d[] bindTransforms; uniform token[] jointNames; uniform token[] joints; uniform matrix4d[] restTransforms;
        Camera : Xformable
            float4[] clippingPlanes; float2 clippingRange; float exposure; float exposure:fStop; float exposure:iso; float exposure:responsivity;
            +
            float exposure:time; float fStop; float focalLength; float focusDistance; float horizontalAperture; float horizontalApertureOffset;
            +
            token projection; double shutter:close; double shutter:open; uniform token stereoRole; float verticalAperture;
            float verticalApertureOffset;
        Xform : Xformable
        VolumeFieldBase : Xformable
            token fieldDataType; int fieldIndex; token fieldName; asset filePath; token vectorDataRoleHint;
        FieldBase : VolumeFieldBase
        VolumeFieldAsset : FieldBase
        FieldAsset : VolumeFieldAsset
        Field3DAsset : FieldAsset
            token fieldPurpose;
        OpenVDBAsset : FieldAsset
            token fieldClass;
        SpatialAudio : Xformable
            uniform token auralMode; uniform timecode endTime; uniform asset filePath; double gain; uniform double mediaOffset;
            uniform token playbackMode; uniform timecode startTime;
        LightFilter : Xformable + CollectionAPI:filterLink
            uniform token lightFilter:shaderId;
        PluginLightFilter : LightFilter + NodeDefAPI
        NonboundableLightBase : Xformable + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        DistantLight : NonboundableLightBase
            float inputs:angle;
        DomeLight : NonboundableLightBase
            float guideRadius; asset inputs:texture:file; token inputs:texture:format; rel portals;
        DomeLight_1 : NonboundableLightBase
            float guideRadius; asset inputs:texture:file; token inputs:texture:format; uniform token poleAxis; rel portals;
        GeometryLight : NonboundableLightBase
            rel geometry;
        PluginLight : Xformable + NodeDefAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        PhysicsJoint : Imageable
            rel physics:body0; rel physics:body1; float physics:breakForce; float physics:breakTorque; bool physics:collisionEnabled;
            uniform bool physics:excludeFromArticulation; bool physics:jointEnabled; point3f physics:localPos0; point3f physics:localPos1;
            quatf physics:localRot0; quatf physics:localRot1;
        PhysicsDistanceJoint : PhysicsJoint
            float physics:maxDistance; float physics:minDistance;
        PhysicsFixedJoint : PhysicsJoint
        PhysicsPrismaticJoint : PhysicsJoint
            uniform token physics:axis; float physics:lowerLimit; float physics:upperLimit;
        PhysicsRevoluteJoint : PhysicsJoint
            uniform token physics:axis; float physics:lowerLimit; float physics:upperLimit;
        PhysicsSphericalJoint : PhysicsJoint
            uniform token physics:axis; float physics:coneAngle0Limit; float physics:coneAngle1Limit;
        GeomSubset : Typed
            uniform token elementType; uniform token familyName; int[] indices;
        NodeGraph : Typed
        Material : NodeGraph
            token outputs:displacement; token outputs:surface; token outputs:volume;
        Shader : Typed + NodeDefAPI
        LODHeuristic : Typed
            uniform float[] blendThresholds; rel boundingVolume; uniform token lod:domain; uniform float[] thresholds;
        LODDistanceHeuristic : LODHeuristic
            point3f center;
        LODScreenSizeHeuristic : LODHeuristic
            float3[] extent; uniform token projectionMethod;
        RenderPass : Typed + CollectionAPI:renderVisibility + CollectionAPI:cameraVisibility + CollectionAPI:prune + CollectionAPI:matte
            uniform string[] command; uniform asset fileName; rel inputPasses; uniform token passType; rel renderSource;
        RenderSettingsBase : Typed
            uniform token aspectRatioConformPolicy; rel camera; uniform float4 dataWindowNDC; uniform bool disableDepthOfField;
            uniform bool disableMotionBlur; uniform bool instantaneousShutter; uniform float pixelAspectRatio; uniform int2 resolution;
        RenderProduct : RenderSettingsBase
            rel orderedVars; token productName; uniform token productType;
        RenderSettings : RenderSettingsBase
            uniform token[] includedPurposes; uniform token[] materialBindingPurposes; rel products; uniform token renderingColorSpace;
        RenderVar : Typed
            uniform token dataType; uniform string sourceName; uniform token sourceType;
        SkelAnimation : Typed
            float[] blendShapeWeights; uniform token[] blendShapes; uniform token[] joints; quatf[] rotations; half3[] scales;
            float3[] translations;
        BlendShape : Typed
            uniform vector3f[] normalOffsets; uniform vector3f[] offsets; uniform int[] pointIndices;
        Backdrop : Typed
            uniform token ui:description;
        PhysicsCollisionGroup : Typed + CollectionAPI:colliders
            rel physics:filteredGroups; bool physics:invertFilteredGroups; string physics:mergeGroup;
        PhysicsScene : Typed
            vector3f physics:gravityDirection; float physics:gravityMagnitude;
        """
}
