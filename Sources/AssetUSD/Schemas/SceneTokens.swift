/// Names the schemas ask for that are not among the well-known tokens, interned once a read.
struct SceneTokens {
    let tangents, fStop, focusDistance, horizontalApertureOffset, verticalApertureOffset: Token
    let accelerations, angularVelocities: Token
    let pointWeights, trimCurve: Token
    let startFrame, endFrame, fallbackPrimTypes, generator: Token
    let meshLight, volumeLight: Token
    let preview: Token
    let inputsGeomprop, inputsTexcoord, inputsUAddressMode, inputsVAddressMode: Token
    let rotations, translations, blendShapes, blendShapeWeights: Token
    let outputsDisplacement, outputsVolume: Token

    init(_ s: USDSession) {
        tangents = s.token("tangents")
        fStop = s.token("fStop")
        focusDistance = s.token("focusDistance")
        horizontalApertureOffset = s.token("horizontalApertureOffset")
        verticalApertureOffset = s.token("verticalApertureOffset")
        accelerations = s.token("accelerations")
        angularVelocities = s.token("angularVelocities")
        pointWeights = s.token("pointWeights")
        trimCurve = s.token("trimCurve:counts")
        startFrame = s.token("startFrame")
        endFrame = s.token("endFrame")
        fallbackPrimTypes = s.token("fallbackPrimTypes")
        generator = s.token("generator")
        meshLight = s.token("MeshLightAPI")
        volumeLight = s.token("VolumeLightAPI")
        preview = s.token("preview")
        inputsGeomprop = s.token("inputs:geomprop")
        inputsTexcoord = s.token("inputs:texcoord")
        inputsUAddressMode = s.token("inputs:uaddressmode")
        inputsVAddressMode = s.token("inputs:vaddressmode")
        rotations = s.token("rotations")
        translations = s.token("translations")
        blendShapes = s.token("blendShapes")
        blendShapeWeights = s.token("blendShapeWeights")
        outputsDisplacement = s.token("outputs:displacement")
        outputsVolume = s.token("outputs:volume")
    }
}
