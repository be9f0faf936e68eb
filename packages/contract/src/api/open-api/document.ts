/** The OpenAPI 3.1 document, made from the routes: nothing in it is written by hand twice. */

import { CSRF_META } from '../../console/page-tags.ts';
import { paramNames, type Route } from '../../wire/route.ts';
import { allRoutes, type NamedRoute } from '../api.ts';
import { errorComponents, errorResponses } from './errors.ts';
import { capital } from './named-schemas.ts';
import { parameterWords } from './parameter-words.ts';
import { createSchemas, type Json, type Schemas } from './schemas.ts';

export interface DocumentOptions {
  version: string;
  /** Whether the gateway is reached by HTTPS: its cookies have other names there. */
  isSecure: boolean;
}

const CSRF_HEADER = 'X-CSRF-Token';

export function openApiDocument({ version, isSecure }: DocumentOptions): Json & { openapi: string } {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const named of allRoutes()) {
    const path = named.route.path.replaceAll(/:([A-Za-z]\w*)/g, '{$1}');
    paths[path] = { ...paths[path], [named.route.method.toLowerCase()]: operation(named, schemas) };
  }
  const errors = errorComponents();
  const cookie = (name: string) => `${isSecure ? '__Host-' : ''}${name}`;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version,
      description: howToSignIn(cookie),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { ...schemas.components(), ...errors.schemas },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token by itself, or the `token` of a sign-in together with its cookie.',
        },
        session: { type: 'apiKey', in: 'cookie', name: cookie('session'), description: 'Set by a sign-in.' },
        csrfCookie: { type: 'apiKey', in: 'cookie', name: cookie('grv_csrf'), description: 'Set by `GET /web`.' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: CSRF_HEADER,
          description: `The value of the cookie \`${cookie('grv_csrf')}\`, which \`GET /web\` also writes into its tag \`<meta name="${CSRF_META}">\`. Calls that change something need it when they carry cookies.`,
        },
      },
      responses: errors.responses,
    },
  };
}

function howToSignIn(cookie: (name: string) => string): string {
  return [
    'One gateway to servers, applications, clusters, databases and desktops.',
    '',
    'Programs use an API token (`apiTokens.create`, or `gatehouse api-tokens add`): `Authorization: Bearer TOKEN`, no cookies, nothing else.',
    '',
    'As a browser signs in, by name and password:',
    '',
    `1. \`GET /web\` sets the cookie \`${cookie('grv_csrf')}\`, and its page holds the same value in \`<meta name="${CSRF_META}" content="…">\`.`,
    `2. \`signIn.signIn\` with that cookie, the value as the header \`${CSRF_HEADER}\`, and the name, password and, where asked for, code as JSON. It sets the cookie \`${cookie('session')}\` and answers with \`token\`.`,
    `3. Every further call carries both cookies and \`Authorization: Bearer TOKEN\`; those that are not \`GET\` also \`${CSRF_HEADER}\`. \`signIn.renew\` gives a new \`token\` before the old one ends.`,
    '',
    'A browser also sends `Origin`, which must then be the address of the gateway. Errors are told apart by `error.code`, never by their words.',
  ].join('\n');
}

function operation({ feature, name, route }: NamedRoute, schemas: Schemas): Json {
  const operationId = `${feature}.${name}`;
  const title = `${capital(feature)}${capital(name)}`;
  return {
    operationId,
    tags: [feature],
    summary: route.summary,
    security: security(route),
    ...(route.needs ? { 'x-needs': route.needs.join(':') } : {}),
    parameters: [...pathParameters(operationId, route), ...queryParameters(operationId, route, schemas)],
    ...requestBody(route, title, schemas),
    responses: { 200: success(route, title, schemas), ...errorResponses(route) },
  };
}

function security({ auth, method, csrf }: Route): Json[] {
  if (auth === 'public') return csrf === 'always' ? [{ csrf: [], csrfCookie: [] }] : [];
  const byBrowser = method === 'GET' ? {} : { csrf: [], csrfCookie: [] };
  return [{ bearer: [] }, { bearer: [], session: [], ...byBrowser }];
}

const BYTES = { 'application/octet-stream': {} };

function requestBody({ body, bodyAs }: Route, title: string, schemas: Schemas): Json {
  if (bodyAs === 'bytes') return { requestBody: { required: true, content: BYTES } };
  if (!body) return {};
  const schema = schemas.named(`${title}Body`, body);
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

function success(route: Route, title: string, schemas: Schemas): Json {
  if (route.replyAs === 'bytes') return { description: 'Done; the bytes follow.', content: BYTES };
  if (!route.reply) return { description: 'Done; the body is empty.' };
  if (route.replyAs === 'text')
    return { description: 'Done.', content: { 'text/plain': { schema: schemas.inline(route.reply) } } };
  const schema = schemas.named(`${title}Reply`, route.reply);
  return { description: 'Done.', content: { 'application/json': { schema } } };
}

function pathParameters(operation: string, route: Route): Json[] {
  return paramNames(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: parameterWords(operation, 'path', name),
    schema: { type: 'string' },
  }));
}

function queryParameters(operation: string, route: Route, schemas: Schemas): Json[] {
  if (!route.query) return [];
  const { properties = {}, required = [] } = schemas.inline(route.query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: description ?? parameterWords(operation, 'query', name),
    schema,
  }));
}
