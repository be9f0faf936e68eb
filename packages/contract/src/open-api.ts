/** The OpenAPI 3.1 document, made from the routes: nothing in it is written by hand twice. */
import { z } from 'zod';
import { allRoutes, type NamedRoute } from './api.ts';
import { errorBody } from './errors.ts';
import { paramNames, type Route } from './route.ts';

type Json = Record<string, unknown>;

export function openApiDocument(version: string): Json & { openapi: string } {
  const paths: Record<string, Json> = {};
  for (const named of allRoutes()) {
    const path = named.route.path.replaceAll(/:([A-Za-z]\w*)/g, '{$1}');
    paths[path] = { ...paths[path], [named.route.method.toLowerCase()]: operation(named) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version,
      description: 'One gateway to servers, applications, clusters, databases and desktops.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Error: schema(errorBody, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-session' },
      },
      responses: {
        Error: {
          description: 'The call failed; the code says how.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

function operation({ feature, name, route }: NamedRoute): Json {
  return {
    operationId: `${feature}.${name}`,
    tags: [feature],
    summary: route.summary,
    security: route.auth === 'public' ? [] : [{ bearer: [], session: [] }, { bearer: [] }],
    ...(route.needs ? { 'x-needs': route.needs.join(':') } : {}),
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...requestBody(route),
    responses: { 200: success(route), default: { $ref: '#/components/responses/Error' } },
  };
}

const BYTES = { 'application/octet-stream': {} };

function requestBody({ body, bodyAs }: Route): Json {
  if (bodyAs === 'bytes') return { requestBody: { required: true, content: BYTES } };
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: schema(body, 'input') } } } };
}

function success(route: Route): Json {
  if (route.replyAs === 'bytes') return { description: 'Done; the bytes follow.', content: BYTES };
  if (!route.reply) return { description: 'Done; the body is empty.' };
  // What travels is what handlers hand in: a codec's input side.
  const type = route.replyAs === 'text' ? 'text/plain' : 'application/json';
  return { description: 'Done.', content: { [type]: { schema: schema(route.reply, 'input') } } };
}

function pathParameters(route: Route): Json[] {
  return paramNames(route.path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(route: Route): Json[] {
  if (!route.query) return [];
  const { properties = {}, required = [] } = schema(route.query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property,
  }));
}

function schema(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return rest;
}
