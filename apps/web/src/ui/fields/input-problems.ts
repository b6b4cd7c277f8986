/** Problems of texts in number and date fields that have no value: incomplete, unreadable, or outside of the field's limits. */
import { t } from '@lingui/core/macro';
import { formatDay } from '../../language/format-day.ts';

/** Returns the problems of a form's fields, by field name. */
export function inputProblems(formId: string): Record<string, string> {
  const form = document.getElementById(formId);
  if (!(form instanceof HTMLFormElement)) return {};
  return Object.fromEntries(
    [...form.elements].flatMap((element) => {
      if (!(element instanceof HTMLInputElement)) return [];
      const problem = element.type === 'date' ? dateProblem(element) : element.validity.customError;
      return problem ? [[element.name, problem === true ? element.validationMessage : problem]] : [];
    }),
  );
}

function dateProblem({ validity, min, max }: HTMLInputElement): string | undefined {
  // An incomplete date has no value, so it would be sent as an empty one.
  if (validity.badInput) return t`Enter a complete date.`;
  if (!validity.rangeUnderflow && !validity.rangeOverflow) return undefined;
  const [first, last] = [min && formatDay(min), max && formatDay(max)];
  if (validity.rangeUnderflow) return t`Enter ${first} or a later date.`;
  return t`Enter ${last} or an earlier date.`;
}
