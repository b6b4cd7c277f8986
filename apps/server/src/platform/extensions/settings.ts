/** Settings of extensions: their definitions, and the check of new values. */
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

/** Returns the problem of a value as a sentence; null if it is valid. */
export function findSettingProblem(definition: SettingDefinition, value: unknown): string | null {
  switch (definition.kind) {
    case 'text':
      return typeof value === 'string' && value.length <= definition.maximum
        ? null
        : `Enter a text of at most ${definition.maximum} characters.`;
    case 'number': {
      const { minimum, maximum } = definition;
      return typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
        ? null
        : `Enter a whole number from ${minimum} to ${maximum}.`;
    }
    case 'switch':
      return typeof value === 'boolean' ? null : 'Choose yes or no.';
    case 'choice':
      return typeof value === 'string' && Object.hasOwn(definition.values, value)
        ? null
        : `Choose one of: ${Object.keys(definition.values).join(', ')}.`;
  }
}
