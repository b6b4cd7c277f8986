/** Parts of the application that screens of extensions use, independent of the types of its routes. */
import { Link, useNavigate, useParams, useRouteContext } from '@tanstack/react-router';
import type { UserDetail } from '@vestibule/contract/profile/me';
import type { ReactNode } from 'react';
import { useListAddress } from '../lib/lists/list-address.ts';
import type { DataGridProps } from '../ui/grid/grid-props.ts';
import type { GridRow } from '../ui/grid/grid-pages.ts';
import { DataGrid as BaseGrid } from '../ui/grid/grid.tsx';
import { loadGrid } from '../ui/grid/load-grid.ts';

export function useUser(): UserDetail {
  return useRouteContext({ from: '/_signed-in' }).user;
}

/** Returns the parameters of the path, such as `ticketId` of `tickets/$ticketId`. */
export function useScreenParams(): Readonly<Record<string, string | undefined>> {
  return useParams({ strict: false });
}

/** Returns a function that opens a path of the application, such as `/layout/tickets`. */
export function useOpenScreen(): (path: string) => void {
  const navigate = useNavigate();
  return (path) => void navigate({ to: path });
}

/** Link to a path of the application, such as `/layout/tickets`. */
export function ScreenLink({ to, children }: { to: string; children: ReactNode }) {
  return <Link to={to}>{children}</Link>;
}

/** List with search, filters, sorting and columns that the user can arrange. Search, filters and order are part of the address. */
export function DataGrid<Row extends GridRow>(props: Omit<DataGridProps<Row>, 'address'>) {
  const { session } = useRouteContext({ from: '/_signed-in' });
  void loadGrid(session.configuration.GridLicenseKey);
  return <BaseGrid {...props} address={useListAddress()} />;
}
