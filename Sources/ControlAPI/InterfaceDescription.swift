import CResources

/// The OpenAPI 3.1 description of the control channel, as YAML.
public enum InterfaceDescription {
    public static var yaml: [UInt8] { [UInt8](resource_openapi()) }
}
