/** Serves all that sets agents up: scripts for machines, and what is applied to clusters. */
import type { FastifyInstance } from 'fastify';
import { serveAgentManifest } from '../kinds/kube/agent-manifest.ts';
import { type ScriptDeps, serveScripts } from '../reach/agents/install/serve-scripts.ts';

export function serveInstalls(app: FastifyInstance, deps: ScriptDeps): void {
  serveScripts(app, deps);
  serveAgentManifest(app, deps);
}
