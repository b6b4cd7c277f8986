import type { ReactNode } from 'react';
import './checks.css';

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
