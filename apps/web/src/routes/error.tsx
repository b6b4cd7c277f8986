/** `/error` (A4). */
import { createFileRoute } from '@tanstack/react-router';
import { ErrorScreen } from '../features/auth/error-screen.tsx';

export const Route = createFileRoute('/error')({ component: ErrorScreen, codeSplitGroupings: [] });
