/** The only place that turns a failure into an answer. */
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@gatehouse/contract/wire/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../std/app-error.ts';
import { storeFailure } from '../storage/store-failure.ts';

/** Failures Fastify finds before a handler runs, in our words. */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', "the body must be sent as 'application/json'"],
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'the body is larger than 10 MiB'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'the body does not have the length it announced'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_request', 'the body is not valid JSON'],
  FST_ERR_BAD_URL: ['bad_request', 'the address cannot be read'],
  FST_ERR_MAX_PARAM_LENGTH: ['bad_request', 'a part of the address is too long'],
};

export function installErrorHook(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError | AppError>(answerError);
  app.setNotFoundHandler((request, reply) =>
    sendError(request, reply, 'not_found', `nothing is served at ${request.method} ${shortPath(request.url)}`),
  );
}

/** What the log says of a failure that nobody foresaw. */
export const OWN_MISTAKE = 'call failed by our own mistake';

/** A store that is away fails every call: its first failures tell all there is to tell. */
const MAX_PER_MINUTE = 60;
let minute = 0;
let told = 0;

function mayTell(): boolean {
  const now = Math.floor(performance.now() / 60_000);
  if (now !== minute) told = 0;
  minute = now;
  told += 1;
  return told <= MAX_PER_MINUTE;
}

export function answerError(
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = asAppError(error);
  if (known) {
    const said = { requestId: request.id, code: known.code, error: known.message };
    // What failed can be looked up by the id that people are shown; what was refused is in the audit log.
    if (ERROR_STATUS[known.code] >= 500 && mayTell()) request.log.warn(said, 'call failed');
    else request.log.debug(said, 'call refused');
    return sendError(request, reply, known.code, known.message, known.fields);
  }
  request.log.error({ requestId: request.id, error }, OWN_MISTAKE);
  return sendError(request, reply, 'internal', `internal error; quote request ${request.id} when you report it`);
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
): FastifyReply {
  return reply
    .status(ERROR_STATUS[code])
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorText(code, message, request.id, fields));
}

/** The error body as it travels. Clients of the wire reference get the same four-space JSON they know. */
export function errorText(
  code: ErrorCode,
  message: string,
  requestId: string,
  fields?: Readonly<Record<string, unknown>>,
): string {
  const body: ErrorBody = { error: { message, code, requestId }, message, ...(fields ? { fields } : {}) };
  return JSON.stringify(body, undefined, 4);
}

function asAppError(error: FastifyError | AppError): AppError | undefined {
  if (error instanceof AppError) return error;
  const failed = storeFailure(error);
  if (failed) return failed;
  const mapped = FASTIFY_CODES[error.code];
  if (mapped) return new AppError(mapped[0], mapped[1], { cause: error });
  // JSON that tries to reach a prototype, and anything else Fastify calls the client's fault.
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('bad_request', 'the request cannot be read', { cause: error });
  }
  return undefined;
}

/** The query may hold a token and the path may be hostile: only a bounded path is repeated. */
function shortPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path).slice(1, -1);
}
