/** How calls can fail, for the OpenAPI document: one answer for each status, with the codes it may carry. */
import { ERROR_STATUS, type ErrorCode, errorBody } from '../../wire/errors.ts';
import { paramNames, type Route } from '../../wire/route.ts';
import { createSchemas, type Json } from './schemas.ts';

const MEANING: Readonly<Record<number, string>> = {
  400: 'What was sent is not valid; the message says what.',
  403: 'Not signed in, not allowed, or the proof against other sites or of a second factor is missing.',
  404: 'It is not there, or the caller may not know of it.',
  405: 'This address has other methods; `Allow` names them.',
  409: 'It exists already, or something else is in its way.',
  412: 'Somebody has changed it meanwhile.',
  413: 'What was sent is too large.',
  429: 'Asked too often; `Retry-After` says when to come back.',
  500: 'A mistake of the gateway; `requestId` finds it in the log.',
  501: 'Not there yet.',
  503: 'The store, the disk or the gateway itself is not there for now.',
  504: 'The server or application behind the gateway does not answer.',
};

const BY_STATUS = Map.groupBy(Object.keys(ERROR_STATUS) as ErrorCode[], (code) => ERROR_STATUS[code]);
const nameOf = (status: number) => `Error${status}`;

export function errorComponents(): { schemas: Record<string, Json>; responses: Record<string, Json> } {
  const codes = Object.keys(ERROR_STATUS);
  const schemas: Record<string, Json> = { ErrorCode: { type: 'string', enum: codes }, Error: errorSchema() };
  const responses: Record<string, Json> = { Error: response('The call failed; the code says how.', 'Error') };
  for (const [status, own] of BY_STATUS) {
    const words = `${MEANING[status]} Codes: ${own.map((code) => `\`${code}\``).join(', ')}.`;
    responses[nameOf(status)] = response(words, 'Error');
  }
  return { schemas, responses };
}

/** By what a route takes and does; whatever else may happen is the default. */
export function errorResponses(route: Route): Json {
  const changes = route.method !== 'GET';
  const isPrivate = route.auth !== 'public';
  const takes = paramNames(route.path).length > 0;
  const hasBody = route.body !== undefined || route.bodyAs !== undefined;
  const statuses = [
    takes || hasBody || route.query ? 400 : undefined,
    isPrivate || changes ? 403 : undefined,
    takes ? 404 : undefined,
    changes && isPrivate ? 409 : undefined,
    changes && isPrivate && hasBody ? 412 : undefined,
    hasBody ? 413 : undefined,
    route.limited ? 429 : undefined,
    500,
    503,
  ].filter((status) => status !== undefined);
  const listed = statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]);
  return { ...Object.fromEntries(listed), default: { $ref: '#/components/responses/Error' } };
}

function errorSchema(): Json {
  const made = createSchemas().inline(errorBody) as { properties: { error: { properties: Json } } };
  // Clients read an unknown code of a newer gateway as a text; the document names those there are.
  made.properties.error.properties.code = { $ref: '#/components/schemas/ErrorCode' };
  return made;
}

function response(description: string, schema: string): Json {
  return { description, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } };
}
