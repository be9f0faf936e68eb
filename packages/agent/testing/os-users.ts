/** OS users of one test file, made as it needs them. Without root there is only the user who runs the tests. */
import { makeOsUsers, type OsUserOptions, type OsUsers } from '@gatehouse/testkit/os-users';

export const IS_ROOT = process.getuid?.() === 0;

export function osUsers() {
  const made: OsUsers[] = [];
  return {
    async add(options: OsUserOptions = {}): Promise<string> {
      const users = await makeOsUsers(1, options);
      made.push(users);
      return users.names[0] as string;
    },
    async removeAll(): Promise<void> {
      await Promise.all(made.splice(0).map((users) => users.remove()));
    },
  };
}
