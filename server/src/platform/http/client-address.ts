import type { FastifyRequest } from 'fastify';

/** The address of the client as logs show it; of a trusted proxy's client, not of the proxy. */
export const clientAddress = (request: FastifyRequest): string => request.ip;
