/** The configuration that the browser fetches at run time: one build serves every deployment (statement B3). */
import { getConfiguration, type Configuration } from '@vestibule/contract/configuration';
import { implement, type Implementation } from '../../platform/http/implement.ts';

export function configuration(answer: Configuration): Implementation[] {
  return [implement(getConfiguration, () => Promise.resolve(answer))];
}
