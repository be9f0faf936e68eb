/** A known address with a method it does not have is told so, instead of being called unknown. */
import { allRoutes } from '@gatehouse/contract/api/api';
import type { Method } from '@gatehouse/contract/wire/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-hook.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
/** Others are nobody's, and are told nothing. */
const TOLD = new Set<string>([...METHODS, 'HEAD', 'PATCH']);

interface KnownPath {
  path: string;
  parts: readonly string[];
  methods: ReadonlySet<string>;
}

/** Those with fewer parameters first: an address that is spelt out is not the parameter of another. */
const KNOWN: readonly KnownPath[] = [...Map.groupBy(allRoutes(), ({ route }) => route.path)]
  .map(([path, named]) => ({
    path,
    parts: path.split('/'),
    methods: new Set(named.map(({ route }) => route.method)),
  }))
  .sort((one, other) => parameters(one) - parameters(other));

/** With the methods that another one's parameter would take, as that of the user called `invite`. */
const TAKEN = KNOWN.map((known) => ({
  known,
  methods: METHODS.filter((method) => !known.methods.has(method) && isTaken(known, method)),
})).filter(({ methods }) => methods.length > 0);

/**
 * Only where nothing is served it is asked which methods there would be: a route for each method an address does not have would be
 * several times as many as there are, and the longest part of starting. What another one's parameter would take still needs its own.
 */
export function bindWrongMethods(app: FastifyInstance): void {
  for (const { known, methods } of TAKEN) {
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => refuse(request, reply, known);
    app.route({ method: methods, url: known.path, onRequest, handler: () => undefined });
  }
  app.addHook('onRequest', (request, reply, next) => {
    const known = request.is404 && TOLD.has(request.method) ? knownAt(request.url) : undefined;
    if (!known) next();
    else refuse(request, reply, known);
  });
}

function refuse(request: FastifyRequest, reply: FastifyReply, { methods }: KnownPath): FastifyReply {
  const allow = [...methods].join(', ');
  return sendError(request, reply.header('allow', allow), 'method_not_allowed', `use ${allow} here`);
}

function knownAt(url: string): KnownPath | undefined {
  const parts = url.split('?', 1)[0]!.split('/');
  return KNOWN.find((known) => fits(known, parts));
}

function isTaken(known: KnownPath, method: string): boolean {
  return KNOWN.some((other) => other !== known && other.methods.has(method) && fits(other, known.parts));
}

function fits({ parts }: KnownPath, given: readonly string[]): boolean {
  return parts.length === given.length && parts.every((part, at) => part.startsWith(':') || part === given[at]);
}

function parameters({ parts }: KnownPath): number {
  return parts.filter((part) => part.startsWith(':')).length;
}
