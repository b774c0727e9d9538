import Backends

/// The reference of `homing.yaml`, from the declarations of its keys: the page ConfigurationReference, in Markdown.
package enum ConfigurationReference {
    package static var text: String {
        introduction + DeclaredKey.reference(of: ConfigurationKey.all.map(\.declared), defaults: defaults)
    }

    private static let introduction = """
        # Configuration reference

        Every key of `homing.yaml`, with type, default, unit and example.

        ## Overview

        A key is optional unless its meaning says otherwise. The files of `homing.yaml.d` have the same keys, and add to `homing.yaml` or
        replace its keys. Relative paths start at the folder of `homing.yaml`. The defaults are those of the system service. Text that looks
        like a number, or is `true` or `false`, needs quotes. To check the configuration, run `homingd check`. To apply changes, run
        `systemctl reload homingd`.

        This page is the output of `homingd reference`, which comes from the declarations that the reader uses.

        """

    /// By key, as `homingd` has it without a configuration.
    static var defaults: [String: String] {
        let configuration = Configuration(places: Places(environment: [:], isRoot: true))
        return Dictionary(configuration.settings.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
