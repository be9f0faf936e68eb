/** Why a configuration cannot be used: each problem under the key it belongs to. */

export interface Problem {
  key: string;
  message: string;
}

/** Its name tells the command line the exit code. */
export class AgentConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const told = problems.map(({ key, message }) => (key === '' ? message : `${key}: ${message}`));
    super(`the configuration of the agent is not valid: ${told.join('; ')}`);
    this.problems = problems;
  }
}
