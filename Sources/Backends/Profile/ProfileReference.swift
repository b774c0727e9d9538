/// The reference of profiles, from the declarations of their keys: the page ProfileReference, in Markdown.
package enum ProfileReference {
    package static var text: String { introduction + DeclaredKey.reference(of: ProfileKeys.all) }

    private static let introduction = """
        # Profile reference

        Every key of a backend’s profile, with type, default, unit and example.

        ## Overview

        A profile is a YAML file that describes a backend. [Adding a backend](AddingABackend.md) shows how to write one and explains the
        concepts, and `config/backends` has complete profiles (installed: `/usr/share/doc/homing/backends`). In the names of tables, `NAME`
        stands for a name that you choose. A JSON pointer locates a value in a JSON document; in a list of pointers, the first match counts
        unless the meaning says otherwise. Placeholders such as `{item.user_id}`, and texts that look like a number or are `true` or
        `false`, need quotes. To check all profiles, run `homingd check`. To apply changes, run `systemctl reload homingd`.

        This page is the output of `homingd reference --profile`, which comes from the declarations that the reader uses.

        """
}
