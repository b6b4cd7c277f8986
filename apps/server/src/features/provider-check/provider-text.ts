/** The contract's texts of the check of the provider, filled: in English, and with what says them in another language. */
import { providerFacts, type ProviderText } from '@vestibule/contract/provider-check';

type Gaps<Message> = Message extends `${string}{${infer Gap}}${infer Rest}` ? Gap | Gaps<Rest> : never;
type Values<Message> = [Gaps<Message>] extends [never]
  ? []
  : [values: Record<Gaps<Message>, string | number>];

/** A text of the contract with its gaps filled. `time` is an ISO moment, which each language writes its own way. */
export function say<const Message extends string>(
  { code, message }: { code: string; message: Message },
  ...given: Values<Message>
): ProviderText {
  const values: Record<string, string | number> = given[0] ?? {};
  return {
    code,
    message: message.replaceAll(/\{(\w+)\}/g, (_, gap: string) =>
      gap === 'time' ? timeOf(String(values[gap])) : String(values[gap]),
    ),
    values,
  };
}

/** A name, an address, or the provider's own words. */
export const asIs = (value: string): ProviderText => say(providerFacts.asIs, { value });

const timeOf = (moment: string): string => `${moment.slice(0, 16).replace('T', ' ')} UTC`;
