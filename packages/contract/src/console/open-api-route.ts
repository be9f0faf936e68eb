/** Where the OpenAPI document is served. */
import { z } from 'zod';
import { defineRoutes } from '../wire/route.ts';

export const openApiRoutes = defineRoutes({
  document: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This document.',
    auth: 'public',
    headToo: true,
    reply: z.looseObject({ openapi: z.string() }),
  },
});
