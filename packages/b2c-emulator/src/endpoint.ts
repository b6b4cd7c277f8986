import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Policy } from './tenant/client-and-policy.ts';
import type { Tenant } from './tenant/tenant.ts';

/** A handler of one endpoint that exists for every policy. */
export type PolicyEndpoint = (
  request: FastifyRequest,
  reply: FastifyReply,
  tenant: Tenant,
  policy: Policy,
) => FastifyReply | Promise<FastifyReply>;
