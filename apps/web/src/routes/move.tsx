/** `/move`: from the personal link in a mail to another way to sign in. Loaded by whoever has such a link. */
import { createFileRoute } from '@tanstack/react-router';
import { IdentityMigrationScreen } from '../features/auth/identity-migration/migration-screen.tsx';

export const Route = createFileRoute('/move')({ component: IdentityMigrationScreen });
