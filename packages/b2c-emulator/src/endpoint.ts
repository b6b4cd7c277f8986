import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Policy } from './tenant/client-and-policy.ts';
import type { Tenant } from './tenant/tenant.ts';

/** Answers at one of the addresses that every policy has. */
export type PolicyEndpoint = (
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
  policy: Policy,
) => FastifyReply | Promise<FastifyReply>;
