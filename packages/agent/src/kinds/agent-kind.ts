/** What an agent knows of a kind that it offers. Each kind says it in its own folder; see kinds.ts. */
import type { DatabaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { z } from 'zod';
import type { AllowRule } from '../reach/tcp/allow-rules.ts';
import type { AgentLog } from '../runtime/log.ts';

/** The agent, as its gateway knows it. */
export interface KnownAs {
  agentId: string;
  name: string;
  /** Of its configuration, of commands and of its token. */
  labels: Record<string, string>;
}

/** What was found beside what its file names. */
export interface Discovery {
  /** Resolves when it has looked once, whatever came of it. */
  readonly first: Promise<void>;
  offers(): ReportedResource[];
  /** What may be dialled because it was found. */
  allowRules(): AllowRule[];
  stop(): void;
}

export interface DiscoverOptions {
  onChange(): void;
  log: AgentLog;
}

export interface AgentKind<Shape extends z.ZodRawShape> {
  /** Its own keys in the agent's file. */
  config: Shape;
  offer(config: z.output<z.ZodObject<Shape>>, self: KnownAs): ReportedResource[];
  /** What may be dialled because it is offered. */
  allowRules?(config: z.output<z.ZodObject<Shape>>): AllowRule[];
  /** Looks for further ones again and again; undefined where its file does not say where. */
  discover?(config: z.output<z.ZodObject<Shape>>, options: DiscoverOptions): Discovery | undefined;
  /** Which of those that are entered at the gateway it looks after. */
  matches?(config: z.output<z.ZodObject<Shape>>): DatabaseMatch;
}

export function defineAgentKind<Shape extends z.ZodRawShape>(kind: AgentKind<Shape>): AgentKind<Shape> {
  return kind;
}
