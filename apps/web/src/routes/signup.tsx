/** `/signup`: accepts an invitation. */
import { createFileRoute } from '@tanstack/react-router';
import { SignUpScreen } from '../features/auth/sign-up/sign-up-screen.tsx';

export const Route = createFileRoute('/signup')({ component: SignUpScreen, codeSplitGroupings: [] });
