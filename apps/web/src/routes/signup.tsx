/** `/signup`: from an invitation link to the provider's sign-up page, and back. */
import { createFileRoute } from '@tanstack/react-router';
import { SignUpScreen } from '../features/auth/sign-up/sign-up-screen.tsx';

export const Route = createFileRoute('/signup')({ component: SignUpScreen, codeSplitGroupings: [] });
