/** Definitions of the settings of extensions. */
type Common = { label: string; hint?: string };

export type SettingDefinition = Common &
  (
    | { kind: 'text'; maximum: number; default: string }
    | { kind: 'number'; minimum: number; maximum: number; default: number }
    | { kind: 'switch'; default: boolean }
    /** Labels by value. */
    | { kind: 'choice'; values: Record<string, string>; default: string }
  );

export type SettingDefinitions = Record<string, SettingDefinition>;

type ValueOf<Definition> = Definition extends { kind: 'number' }
  ? number
  : Definition extends { kind: 'switch' }
    ? boolean
    : Definition extends { kind: 'choice'; values: infer Values }
      ? keyof Values & string
      : string;

export type SettingValues<Definitions extends SettingDefinitions> = {
  [Name in keyof Definitions]: ValueOf<Definitions[Name]>;
};
