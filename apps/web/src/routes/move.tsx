/** `/move`: accepts an identity migration by its personal link. */
import { createFileRoute } from '@tanstack/react-router';
import { IdentityMigrationScreen } from '../features/auth/identity-migration/migration-screen.tsx';

export const Route = createFileRoute('/move')({ component: IdentityMigrationScreen });
