/** Public entry for the screens of extensions, `@vestibule/web/screens`. docs/build-a-portal.md documents it. */
export { defineScreens, type ExtensionScreens } from './extensions/define-screens.ts';

// Calls of routes.
export { call } from './lib/call.ts';
export { useApiQuery } from './lib/use-api-query.ts';
export { fetchPageFrom } from './lib/lists/fetch-page.ts';
export { routeOf, type ActiveOrganization } from './lib/active-organization.ts';
export { CallFailure, describeFailure } from './language/call-failure.ts';

// The signed-in user, the organization of the screen, and addresses.
export { ScreenLink, useOpenScreen, useScreenParams, useUser } from './extensions/screen-kit.tsx';
export { useOrganization } from './features/organizations/organization-frame.tsx';
export type { Finder, FinderContext, FinderResult } from './lib/finder.ts';
export { matchesWords } from './lib/matches-words.ts';

// Pages and their states.
export { Card, Page } from './ui/shell/page.tsx';
export { CardRow, Facts } from './ui/facts.tsx';
export { RecordList } from './ui/record-list.tsx';
export { RecordFiles } from './features/attachments/record-files.tsx';
export { EmptyState, Failure, Loading } from './ui/states.tsx';
export { runWithErrorToast, toast } from './ui/toast/toast.tsx';

// Lists.
export { DataGrid } from './extensions/screen-kit.tsx';
export { columnsByName, valuesOf, type GridColumn } from './ui/grid/grid-column.ts';
export type { GridHandle, GridSource } from './ui/grid/grid-props.ts';

// Forms, buttons and dialogs.
export { Button } from './ui/button.tsx';
export { CheckBox } from './ui/fields/check-box.tsx';
export { DateField } from './ui/fields/date-field.tsx';
export { SelectField, TextArea, TextField } from './ui/fields/field.tsx';
export { NumberField } from './ui/fields/number-field.tsx';
export { Form, FormDialog, SubmitButton } from './ui/fields/form.tsx';
export { useForm } from './ui/fields/use-form.ts';
export { problemsByField } from './lib/field-problems.ts';
export { Menu } from './ui/menu/menu.tsx';
export { Dialog } from './ui/dialog/dialog.tsx';
export { ConfirmDialog } from './ui/dialog/confirm-dialog.tsx';

// Values: people, times, numbers and states.
export { PersonCell } from './ui/person/person.tsx';
export { Badge, StateBadge } from './ui/marks/badge.tsx';
export type { BadgeTone } from './ui/marks/badge-tone.ts';
export { Moment } from './ui/time/moment.tsx';
export { formatDay, formatNumber, formatSize } from './language/formats.ts';
export { formatMoment } from './language/moment.ts';
