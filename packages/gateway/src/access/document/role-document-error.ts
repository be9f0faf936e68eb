/** Why a role document was refused, with the place in the text its author wrote. */
import { AppError } from '../../platform/std/app-error.ts';

export interface DocumentIssue {
  /** The field, as a path: `spec.allow.logins[0]`. */
  path: string;
  line: number;
  column: number;
  message: string;
}

export class RoleDocumentError extends AppError {
  readonly issues: readonly DocumentIssue[];

  constructor(issues: readonly DocumentIssue[]) {
    super('bad_request', issues.map(tell).join('\n'), { fields: { issues } });
    this.name = 'RoleDocumentError';
    this.issues = issues;
  }
}

function tell({ path, line, column, message }: DocumentIssue): string {
  return `line ${line}, column ${column}: ${path ? `'${path}' ` : ''}${message}`;
}
