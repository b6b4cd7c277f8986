import { useNavigate, useSearch } from '@tanstack/react-router';

/** Returns the parameters of the address, such as those of a grid and `show`, and functions that change them. */
export function useListAddress<Address extends object>() {
  const navigate = useNavigate();
  const current: object = useSearch({ strict: false });
  const goTo = (search: (previous: object) => object, replace: boolean) =>
    void navigate({ to: '.', search: search as never, replace, resetScroll: false });
  const change = (part: Partial<Address>, replace = true) =>
    goTo((previous) => ({ ...previous, ...part }), replace);
  return {
    current: current as Address,
    /** Changes some parameters. Replaces the history entry by default. */
    change,
    /** For the property `address` of a grid. */
    onChange: (part: Partial<Address>, addsHistoryEntry: boolean) => change(part, !addsHistoryEntry),
    /** Adds a history entry with these parameters only. */
    open: (address: Address) => goTo(() => address, false),
  };
}
