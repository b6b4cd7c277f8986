import { useId } from 'react';
import './choice.css';

/** One of a few, all in sight, that acts at once: radio buttons that look like one strip. */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  /** What is chosen, for screen readers. */
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <div className="choice" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
