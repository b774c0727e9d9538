/// The description of the control channel for programs: OpenAPI 3.1, as YAML.
public enum InterfaceDescription {
    public static var yaml: [UInt8] { PackageResources.openapi_yaml }
}
