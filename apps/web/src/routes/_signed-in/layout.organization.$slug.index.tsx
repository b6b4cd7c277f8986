import { createFileRoute } from '@tanstack/react-router';
import { FirstTab } from '../../features/organizations/organization-frame.tsx';

export const Route = createFileRoute('/_signed-in/layout/organization/$slug/')({ component: FirstTab });
