/** A refusal that knows what was asked, so that an administrator can be told what was missing. */
import { AppError } from '../platform/std/app-error.ts';
import type { Action } from './action.ts';

export class ActionDenied extends AppError {
  readonly action: Action;

  constructor(action: Action) {
    super('denied', `access denied: none of your roles allows ${tell(action)}`);
    this.name = 'ActionDenied';
    this.action = action;
  }
}

/** Names only what the caller named: nothing here may say what else there is. */
function tell(action: Action): string {
  switch (action.type) {
    case 'verb':
      return `'${action.verb}' on '${action.resource}'`;
    case 'join':
      return `joining this session as ${action.mode}`;
    case 'see':
    case 'connect':
      return 'this';
    default:
      return action satisfies never;
  }
}
