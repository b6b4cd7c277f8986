import { type ReactNode, useId } from 'react';
import './checks.css';
import './checkbox-group.css';

export function CheckBox({
  checked,
  onChange,
  className = '',
  disabled = false,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  className?: string;
  disabled?: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <label className={`check ${className}`}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  );
}

/** Check boxes with a common heading. */
export function CheckboxGroup<Value extends string>({
  label,
  options,
  chosen,
  problem,
  onChange,
}: {
  label: string;
  options: readonly { value: Value; label: string; description?: string }[];
  chosen: readonly Value[];
  problem: string | undefined;
  /** `chosen` is in the order of the options. */
  onChange: (chosen: Value[]) => void;
}) {
  const id = useId();
  const toggle = (value: Value) =>
    onChange(
      options
        .map((option) => option.value)
        .filter((other) => (other === value ? !chosen.includes(other) : chosen.includes(other))),
    );
  return (
    <fieldset className="checkbox-group" aria-describedby={problem ? id : undefined}>
      <legend>{label}</legend>
      {problem && (
        <p id={id} className="checkbox-group-problem">
          {problem}
        </p>
      )}
      {options.map((option) => (
        <label key={option.value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            aria-invalid={problem ? true : undefined}
            onChange={() => toggle(option.value)}
          />
          <span>
            {option.label}
            {option.description && <small>{option.description}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
