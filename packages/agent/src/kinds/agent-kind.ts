/** What an agent knows of a kind that it offers. Each kind says it in its own folder; see kinds.ts. */
import type { DatabaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { z } from 'zod';
import type { AllowRule } from '../reach/tcp/allow-rules.ts';

/** The agent, as its gateway knows it. */
export interface KnownAs {
  agentId: string;
  name: string;
  /** Of its configuration, of commands and of its token. */
  labels: Record<string, string>;
}

export interface AgentKind<Shape extends z.ZodRawShape> {
  /** Its own keys in the agent's file. */
  config: Shape;
  offer(config: z.output<z.ZodObject<Shape>>, self: KnownAs): ReportedResource[];
  /** What may be dialled because it is offered. */
  allowRules?(config: z.output<z.ZodObject<Shape>>): AllowRule[];
  /** Which of those that are entered at the gateway it looks after. */
  matches?(config: z.output<z.ZodObject<Shape>>): DatabaseMatch;
}

export function defineAgentKind<Shape extends z.ZodRawShape>(kind: AgentKind<Shape>): AgentKind<Shape> {
  return kind;
}
