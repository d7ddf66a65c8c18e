/// The properties that the schemas of OpenUSD 26.11 build into prims: what they say of type and variability holds whatever
/// layers say, and where an animation block hides all that layers say their default counts.
///
/// A schema starts at the margin: `Name : Base + API + …`; below stand the properties that it adds or gives anew, each as in
/// text layers; `*` stands for the instance name of an API that is applied several times.
enum SchemaProperties {
    static let text = #"""
        CollectionAPI
            uniform opaque collection:*; rel collection:*:excludes; uniform token collection:*:expansionRule = "expandPrims";
            uniform bool collection:*:includeRoot; rel collection:*:includes; uniform pathExpression collection:*:membershipExpression;
            uniform token collection:*:mode = "automatic";
        ColorSpaceAPI
            uniform token colorSpace:name;
        ColorSpaceDefinitionAPI
            float2 colorSpaceDefinition:*:blueChroma = (0, 0); float colorSpaceDefinition:*:gamma = 1;
            float2 colorSpaceDefinition:*:greenChroma = (0, 1); float colorSpaceDefinition:*:linearBias = 0;
            uniform token colorSpaceDefinition:*:name = "custom"; float2 colorSpaceDefinition:*:redChroma = (1, 0);
            float2 colorSpaceDefinition:*:whitePoint = (0.33333334, 0.33333334);
        BackPlateAPI
            asset backPlate:*:alpha:image = @@; float backPlate:*:depth:cameraSpaceOffset = 0; asset backPlate:*:depth:image = @@;
            float backPlate:*:depth:minOffset = 0; float backPlate:*:depth:normalizingFactor = 1; asset backPlate:*:image = @@;
            float3 backPlate:*:luma:offset = (0, 0, 0); float3 backPlate:*:luma:power = (1, 1, 1); float3 backPlate:*:luma:slope = (1, 1, 1);
            token backPlate:*:plateVisibility = "solo"; float3 backPlate:*:rotateXYZ:tweak = (0, 0, 0); float2 backPlate:*:scale:tweak = (1, 1);
            float3 backPlate:*:translate:tweak = (0, 0, 0);
        GeomModelAPI
            uniform bool model:applyDrawMode = 0; uniform token model:cardGeometry = "cross"; asset model:cardTextureXNeg;
            asset model:cardTextureXPos; asset model:cardTextureYNeg; asset model:cardTextureYPos; asset model:cardTextureZNeg;
            asset model:cardTextureZPos; uniform token model:cardVisibility = "inherited"; uniform token model:drawMode = "inherited";
            uniform float3 model:drawModeColor = (0.18, 0.18, 0.18);
        MotionAPI
            float motion:blurScale = 1; int motion:nonlinearSampleCount = 3; float motion:velocityScale = 1;
        VisibilityAPI
            uniform token guideVisibility = "invisible"; uniform token proxyVisibility = "inherited";
            uniform token renderVisibility = "inherited";
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
            uniform int radiance:sphericalHarmonicsDegree = 3;
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
            uniform token info:id; uniform token info:implementationSource = "id";
        LODOverrideAPI
            float lod:override:index = 0; token lod:override:mode = "inherited";
        LODRootAPI
            int lod:default:index = 0; rel lod:heuristics;
        LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
            color3f inputs:color = (1, 1, 1); float inputs:colorTemperature = 6500; float inputs:diffuse = 1;
            bool inputs:enableColorTemperature = 0; float inputs:exposure = 0; float inputs:intensity = 1; bool inputs:normalize = 0;
            float inputs:specular = 1; rel light:filters; uniform token light:materialSyncMode = "noMaterialResponse";
            uniform token light:shaderId = "";
        LightListAPI
            rel lightList; token lightList:cacheBehavior;
        ListAPI
            rel lightList; token lightList:cacheBehavior;
        MeshLightAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        ShadowAPI
            color3f inputs:shadow:color = (0, 0, 0); float inputs:shadow:distance = -1; bool inputs:shadow:enable = 1;
            float inputs:shadow:falloff = -1; float inputs:shadow:falloffGamma = 1;
        ShapingAPI
            float inputs:shaping:cone:angle = 90; float inputs:shaping:cone:softness = 0; float inputs:shaping:focus = 0;
            color3f inputs:shaping:focusTint = (0, 0, 0); float inputs:shaping:ies:angleScale = 0; asset inputs:shaping:ies:file;
            bool inputs:shaping:ies:normalize = 0;
        VolumeLightAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        ClaimsAPI
        HydraRenderPassAPI
            uniform token hydra:rendererName;
        HydraGenerativeProceduralAPI
            token primvars:hdGp:proceduralType; token proceduralSystem = "hydraGenerativeProcedural";
        HydraPrimAPI
            uniform bool hydra:expandInstances = 0;
        RiMaterialAPI
            token outputs:ri:displacement; token outputs:ri:surface; token outputs:ri:volume;
        RiSplineAPI
        StatementsAPI
        SemanticsLabelsAPI
            token[] semantics:labels:* = [];
        SkelBindingAPI
            matrix4d primvars:skel:geomBindTransform; int[] primvars:skel:jointIndices; float[] primvars:skel:jointWeights;
            uniform token primvars:skel:skinningMethod = "classicLinear"; rel skel:animationSource; rel skel:blendShapeTargets;
            uniform token[] skel:blendShapes; uniform token[] skel:joints; rel skel:skeleton;
        AccessibilityAPI
            string accessibility:*:description; string accessibility:*:label; token accessibility:*:priority = "standard";
        NodeGraphNodeAPI
            uniform color3f ui:nodegraph:node:displayColor; uniform string ui:nodegraph:node:docURI;
            uniform token ui:nodegraph:node:expansionState; uniform asset ui:nodegraph:node:icon; uniform float2 ui:nodegraph:node:pos;
            uniform float2 ui:nodegraph:node:size; uniform int ui:nodegraph:node:stackingOrder;
        SceneGraphPrimAPI
            uniform token ui:displayGroup; uniform token ui:displayName;
        PhysicsArticulationRootAPI
        PhysicsCollisionAPI
            bool physics:collisionEnabled = 1; rel physics:simulationOwner;
        PhysicsDriveAPI
            float drive:*:physics:damping = 0; float drive:*:physics:maxForce = inf; float drive:*:physics:stiffness = 0;
            float drive:*:physics:targetPosition = 0; float drive:*:physics:targetVelocity = 0; uniform token drive:*:physics:type = "force";
        PhysicsFilteredPairsAPI
            rel physics:filteredPairs;
        PhysicsLimitAPI
            float limit:*:physics:high = inf; float limit:*:physics:low = -inf;
        PhysicsMassAPI
            point3f physics:centerOfMass = (-inf, -inf, -inf); float physics:density = 0; float3 physics:diagonalInertia = (0, 0, 0);
            float physics:mass = 0; quatf physics:principalAxes = (0, 0, 0, 0);
        PhysicsMaterialAPI
            float physics:density = 0; float physics:dynamicFriction = 0; float physics:restitution = 0; float physics:staticFriction = 0;
        PhysicsMeshCollisionAPI
            uniform token physics:approximation = "none";
        PhysicsRigidBodyAPI
            vector3f physics:angularVelocity = (0, 0, 0); bool physics:kinematicEnabled = 0; bool physics:rigidBodyEnabled = 1;
            rel physics:simulationOwner; uniform bool physics:startsAsleep = 0; vector3f physics:velocity = (0, 0, 0);
        Typed
        Imageable : Typed
            rel proxyPrim; uniform token purpose = "default"; token visibility = "inherited";
        Scope : Imageable
        Xformable : Imageable
            uniform token[] xformOpOrder;
        Boundable : Xformable
            float3[] extent;
        Gprim : Boundable
            uniform bool doubleSided; uniform token orientation = "rightHanded"; color3f[] primvars:displayColor; float[] primvars:displayOpacity;
        Capsule : Gprim
            uniform token axis = "Z"; double height = 1; double radius = 0.5; uniform bool doubleSided = 0;
            float3[] extent = [(-0.5, -0.5, -1), (0.5, 0.5, 1)];
        Capsule_1 : Gprim
            uniform token axis = "Z"; double height = 1; double radiusBottom = 0.5; double radiusTop = 0.5; uniform bool doubleSided = 0;
            float3[] extent = [(-0.5, -0.5, -1), (0.5, 0.5, 1)];
        Cone : Gprim
            uniform token axis = "Z"; double height = 2; double radius = 1; uniform bool doubleSided = 0;
            float3[] extent = [(-1, -1, -1), (1, 1, 1)];
        Cube : Gprim
            double size = 2; uniform bool doubleSided = 0; float3[] extent = [(-1, -1, -1), (1, 1, 1)];
        Cylinder : Gprim
            uniform token axis = "Z"; double height = 2; double radius = 1; uniform bool doubleSided = 0;
            float3[] extent = [(-1, -1, -1), (1, 1, 1)];
        Cylinder_1 : Gprim
            uniform token axis = "Z"; double height = 2; double radiusBottom = 1; double radiusTop = 1; uniform bool doubleSided = 0;
            float3[] extent = [(-1, -1, -1), (1, 1, 1)];
        Plane : Gprim
            uniform token axis = "Z"; double length = 2; double width = 2; uniform bool doubleSided = 1;
            float3[] extent = [(-1, -1, 0), (1, 1, 0)];
        PointBased : Gprim
            vector3f[] accelerations; normal3f[] normals; point3f[] points; vector3f[] velocities;
        Curves : PointBased
            int[] curveVertexCounts; float[] widths;
        BasisCurves : Curves
            uniform token basis = "bezier"; uniform token type = "cubic"; uniform token wrap = "nonperiodic"; uniform bool doubleSided = 0;
        HermiteCurves : Curves
            vector3f[] tangents = []; uniform bool doubleSided = 0;
        NurbsCurves : Curves
            double[] knots; int[] order = []; double[] pointWeights; double2[] ranges; uniform bool doubleSided = 0;
        Mesh : PointBased
            int[] cornerIndices = []; float[] cornerSharpnesses = []; int[] creaseIndices = []; int[] creaseLengths = [];
            float[] creaseSharpnesses = []; token faceVaryingLinearInterpolation = "cornersPlus1"; int[] faceVertexCounts;
            int[] faceVertexIndices; int[] holeIndices = []; token interpolateBoundary = "edgeAndCorner";
            uniform token subdivisionScheme = "catmullClark"; token triangleSubdivisionRule = "catmullClark"; uniform bool doubleSided = 0;
        NurbsPatch : PointBased
            double[] pointWeights; int[] trimCurve:counts; double[] trimCurve:knots; int[] trimCurve:orders; double3[] trimCurve:points;
            double2[] trimCurve:ranges; int[] trimCurve:vertexCounts; uniform token uForm = "open"; double[] uKnots; int uOrder; double2 uRange;
            int uVertexCount; uniform token vForm = "open"; double[] vKnots; int vOrder; double2 vRange; int vVertexCount;
            uniform bool doubleSided = 0;
        Points : PointBased
            int64[] ids; float[] widths; uniform bool doubleSided = 0;
        TetMesh : PointBased
            int3[] surfaceFaceVertexIndices; int4[] tetVertexIndices; uniform bool doubleSided = 0;
        Sphere : Gprim
            double radius = 1; uniform bool doubleSided = 0; float3[] extent = [(-1, -1, -1), (1, 1, 1)];
        ParticleField : Gprim
            uniform bool doubleSided = 0;
        ParticleField3DGaussianSplat : ParticleField
            + ParticleFieldPositionAttributeAPI + ParticleFieldPositionBaseAPI + ParticleFieldOrientationAttributeAPI
            + ParticleFieldScaleAttributeAPI + ParticleFieldOpacityAttributeAPI + ParticleFieldKernelGaussianEllipsoidAPI
            + ParticleFieldKernelBaseAPI + ParticleFieldSphericalHarmonicsAttributeAPI + ParticleFieldRadianceBaseAPI
            uniform token projectionModeHint = "perspective"; uniform token sortingModeHint = "zDepth"; uniform bool doubleSided = 0;
        Volume : Gprim
            uniform bool doubleSided = 0;
        PointInstancer : Boundable
            vector3f[] accelerations; vector3f[] angularVelocities; int64[] ids; int64[] invisibleIds = []; quath[] orientations;
            quatf[] orientationsf; point3f[] positions; int[] protoIndices; rel prototypes; float3[] scales; vector3f[] velocities;
        BoundableLightBase : Boundable + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        CylinderLight : BoundableLightBase
            float inputs:length = 1; float inputs:radius = 0.5; bool treatAsLine = 0;
        DiskLight : BoundableLightBase
            float inputs:radius = 0.5;
        PortalLight : BoundableLightBase
            float inputs:height = 1; float inputs:width = 1;
        RectLight : BoundableLightBase
            float inputs:height = 1; asset inputs:texture:file; float inputs:width = 1;
        SphereLight : BoundableLightBase
            float inputs:radius = 0.5; bool treatAsPoint = 0;
        GenerativeProcedural : Boundable
            token proceduralSystem;
        SkelRoot : Boundable
        Skeleton : Boundable
            uniform matrix4d[] bindTransforms; uniform token[] jointNames; uniform token[] joints; uniform matrix4d[] restTransforms;
        Camera : Xformable
            float4[] clippingPlanes = []; float2 clippingRange = (1, 1000000); float exposure = 0; float exposure:fStop = 1;
            float exposure:iso = 100; float exposure:responsivity = 1; float exposure:time = 1; float fStop = 0; float focalLength = 50;
            float focusDistance = 0; float horizontalAperture = 20.955; float horizontalApertureOffset = 0; token projection = "perspective";
            double shutter:close = 0; double shutter:open = 0; uniform token stereoRole = "mono"; float verticalAperture = 15.2908;
            float verticalApertureOffset = 0;
        Xform : Xformable
        VolumeFieldBase : Xformable
            token fieldDataType; int fieldIndex; token fieldName; asset filePath; token vectorDataRoleHint = "None";
        FieldBase : VolumeFieldBase
        VolumeFieldAsset : FieldBase
        FieldAsset : VolumeFieldAsset
        Field3DAsset : FieldAsset
            token fieldPurpose;
        OpenVDBAsset : FieldAsset
            token fieldClass;
        SpatialAudio : Xformable
            uniform token auralMode = "spatial"; uniform timecode endTime = 0; uniform asset filePath = @@; double gain = 1;
            uniform double mediaOffset = 0; uniform token playbackMode = "onceFromStart"; uniform timecode startTime = 0;
        LightFilter : Xformable + CollectionAPI:filterLink
            uniform token lightFilter:shaderId = "";
        PluginLightFilter : LightFilter + NodeDefAPI
        NonboundableLightBase : Xformable + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        DistantLight : NonboundableLightBase
            float inputs:angle = 0.53;
        DomeLight : NonboundableLightBase
            float guideRadius = 100000; asset inputs:texture:file; token inputs:texture:format = "automatic"; rel portals;
        DomeLight_1 : NonboundableLightBase
            float guideRadius = 100000; asset inputs:texture:file; token inputs:texture:format = "automatic"; uniform token poleAxis = "scene";
            rel portals;
        GeometryLight : NonboundableLightBase
            rel geometry;
        PluginLight : Xformable + NodeDefAPI + LightAPI + CollectionAPI:lightLink + CollectionAPI:shadowLink
        PhysicsJoint : Imageable
            rel physics:body0; rel physics:body1; float physics:breakForce = inf; float physics:breakTorque = inf;
            bool physics:collisionEnabled = 0; uniform bool physics:excludeFromArticulation = 0; bool physics:jointEnabled = 1;
            point3f physics:localPos0 = (0, 0, 0); point3f physics:localPos1 = (0, 0, 0); quatf physics:localRot0 = (1, 0, 0, 0);
            quatf physics:localRot1 = (1, 0, 0, 0);
        PhysicsDistanceJoint : PhysicsJoint
            float physics:maxDistance = -1; float physics:minDistance = -1;
        PhysicsFixedJoint : PhysicsJoint
        PhysicsPrismaticJoint : PhysicsJoint
            uniform token physics:axis = "X"; float physics:lowerLimit = -inf; float physics:upperLimit = inf;
        PhysicsRevoluteJoint : PhysicsJoint
            uniform token physics:axis = "X"; float physics:lowerLimit = -inf; float physics:upperLimit = inf;
        PhysicsSphericalJoint : PhysicsJoint
            uniform token physics:axis = "X"; float physics:coneAngle0Limit = -1; float physics:coneAngle1Limit = -1;
        GeomSubset : Typed
            uniform token elementType = "face"; uniform token familyName = ""; int[] indices = [];
        NodeGraph : Typed
        Material : NodeGraph
            token outputs:displacement; token outputs:surface; token outputs:volume;
        Shader : Typed + NodeDefAPI
        LODHeuristic : Typed
            uniform float[] blendThresholds = []; rel boundingVolume; uniform token lod:domain; uniform float[] thresholds = [];
        LODDistanceHeuristic : LODHeuristic
            point3f center = (0, 0, 0);
        LODScreenSizeHeuristic : LODHeuristic
            float3[] extent = [(-1, -1, -1), (1, 1, 1)]; uniform token projectionMethod = "projectedSphere";
        RenderPass : Typed + CollectionAPI:renderVisibility + CollectionAPI:cameraVisibility + CollectionAPI:prune + CollectionAPI:matte
            uniform string[] command; uniform asset fileName; rel inputPasses; uniform token passType; rel renderSource;
        RenderSettingsBase : Typed
            uniform token aspectRatioConformPolicy = "expandAperture"; rel camera; uniform float4 dataWindowNDC = (0, 0, 1, 1);
            uniform bool disableDepthOfField = 0; uniform bool disableMotionBlur = 0; uniform bool instantaneousShutter = 0;
            uniform float pixelAspectRatio = 1; uniform int2 resolution = (2048, 1080);
        RenderProduct : RenderSettingsBase
            rel orderedVars; token productName = ""; uniform token productType = "raster";
        RenderSettings : RenderSettingsBase
            uniform token[] includedPurposes = ["default", "render"]; uniform token[] materialBindingPurposes = ["full", ""]; rel products;
            uniform token renderingColorSpace;
        RenderVar : Typed
            uniform token dataType = "color3f"; uniform string sourceName = ""; uniform token sourceType = "raw";
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
            vector3f physics:gravityDirection = (0, 0, 0); float physics:gravityMagnitude = -inf;
        """#
}
