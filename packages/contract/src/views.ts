/** Grid states of a person, and named views: private, or shared by administrators. */
import * as z from 'zod/mini';
import { fieldTexts } from './texts/field-texts.ts';
import { defineErrors, defineRoute } from './route.ts';
import { schemaMessage } from './texts/text.ts';
import { Id, lineOfText, Moment } from './values.ts';
import { kilobyte } from './texts/size.ts';

export const Grid = z.enum(
  ['people', 'invitations', 'activity', 'attachments', 'organizations', 'organization-members'],
  'This list does not exist.',
);
export type Grid = z.output<typeof Grid>;

export const viewStateMaximumBytes = 8 * kilobyte;

/** Opaque to the server. The error is a function because calls at module level would stay in the browser's build. */
const State = z.record(z.string(), z.unknown(), 'A state is a JSON object.').check(
  z.refine(isWithinSizeLimit, {
    error: () => schemaMessage(fieldTexts.viewTooLarge, { maximum: viewStateMaximumBytes / kilobyte }),
  }),
);

function isWithinSizeLimit(state: unknown): boolean {
  try {
    return new TextEncoder().encode(JSON.stringify(state)).length <= viewStateMaximumBytes;
  } catch {
    // JSON.stringify throws if the state is nested too deeply.
    return false;
  }
}

const name = lineOfText(60).check(z.minLength(1, { error: () => schemaMessage(fieldTexts.nameMissing) }));

export const View = z.object({
  id: Id,
  grid: Grid,
  name: z.string(),
  /** Whether all administrators can use and change the view. */
  shared: z.boolean(),
  own: z.boolean(),
  owner: z.string(),
  state: z.record(z.string(), z.unknown()),
  updatedAt: Moment,
});
export type View = z.output<typeof View>;

export const viewErrors = defineErrors(
  'view',
  {
    403: { adminsShare: 'Only administrators can change shared views. Save your own view instead.' },
    404: { notFound: 'This view does not exist or was removed. Choose another one.' },
    409: {
      // Also returned for renaming another person's shared view.
      nameTaken: 'This list already has a view with this name. Choose another name.',
      notYours: 'Only its owner can stop sharing this view. You can delete it for everyone.',
      tooMany: 'You have reached the limit of 100 views for this list. Delete one before you save another.',
    },
  },
  { nameTaken: 'name' },
);

const gridParams = z.object({ grid: Grid });
const viewParams = z.object({ grid: Grid, viewId: Id });

export const getGrid = defineRoute('GET /api/grids/:grid', {
  access: 'member',
  summary:
    "The caller's state of a grid, and the saved views: private ones and, for administrators, shared ones.",
  params: gridParams,
  response: z.object({
    state: z.nullable(z.record(z.string(), z.unknown())),
    views: z.array(View),
    mayShare: z.boolean(),
  }),
});

export const saveGridState = defineRoute('PUT /api/grids/:grid/state', {
  access: 'member',
  summary: "Saves the caller's state of a grid for all their browsers.",
  params: gridParams,
  body: z.strictObject({ state: State }),
  response: z.object({ grid: Grid }),
});

export const createView = defineRoute('POST /api/grids/:grid/views', {
  access: 'member',
  summary: 'Saves a view, private or shared with all administrators.',
  params: gridParams,
  body: z.strictObject({ name, shared: z._default(z.boolean(), false), state: State }),
  response: View,
  errors: [viewErrors.nameTaken, viewErrors.tooMany, viewErrors.adminsShare],
});

export const changeView = defineRoute('PATCH /api/grids/:grid/views/:viewId', {
  access: 'member',
  summary: "Renames, shares or overwrites one of the caller's views, or a shared one.",
  params: viewParams,
  body: z.strictObject({
    name: z.optional(name),
    shared: z.optional(z.boolean()),
    state: z.optional(State),
  }),
  response: View,
  errors: [viewErrors.notFound, viewErrors.nameTaken, viewErrors.notYours, viewErrors.adminsShare],
});

export const deleteView = defineRoute('DELETE /api/grids/:grid/views/:viewId', {
  access: 'member',
  summary: "Deletes one of the caller's views, or a shared one for everyone.",
  params: viewParams,
  response: z.object({ id: Id }),
  errors: [viewErrors.notFound, viewErrors.adminsShare],
});
