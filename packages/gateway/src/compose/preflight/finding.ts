/** What a check before the start finds. */
import type { GatewayConfig } from '../../platform/config/resolve.ts';

export interface Finding {
  /** With dots, as in the file. */
  key: string;
  message: string;
  /** `busy`: nothing is wrong with what is written, something else stands in the way right now. */
  kind: 'configuration' | 'busy' | 'warning';
}

export type PreflightCheck = (config: GatewayConfig, now: number) => Finding[] | Promise<Finding[]>;
