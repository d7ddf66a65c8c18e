/// Names the schemas ask for that are not among the well-known tokens, interned once a read.
struct SceneTokens {
    let tangents, accelerations: Token
    let fallbackPrimTypes: Token
    let meshLight, volumeLight: Token
    let preview: Token
    let tetVertexIndices, surfaceFaceVertexIndices: Token
    let inputsGeomprop, inputsTexcoord, inputsUAddressMode, inputsVAddressMode: Token
    let rotations, translations, blendShapeWeights, blendShapes: Token

    init(_ s: USDSession) {
        tangents = s.token("tangents")
        accelerations = s.token("accelerations")
        fallbackPrimTypes = s.token("fallbackPrimTypes")
        meshLight = s.token("MeshLightAPI")
        volumeLight = s.token("VolumeLightAPI")
        preview = s.token("preview")
        tetVertexIndices = s.token("tetVertexIndices")
        surfaceFaceVertexIndices = s.token("surfaceFaceVertexIndices")
        inputsGeomprop = s.token("inputs:geomprop")
        inputsTexcoord = s.token("inputs:texcoord")
        inputsUAddressMode = s.token("inputs:uaddressmode")
        inputsVAddressMode = s.token("inputs:vaddressmode")
        rotations = s.token("rotations")
        translations = s.token("translations")
        blendShapeWeights = s.token("blendShapeWeights")
        blendShapes = s.token("blendShapes")
    }
}
