/** The environment of everything the agent starts: made from nothing, so that neither its token nor a loader's hook gets in. */

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const USER_PATH = '/usr/local/bin:/usr/bin:/bin';
const LANGUAGE = /^[A-Za-z0-9_.@-]{1,64}$/;

export interface Person {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

/** For programs of the agent itself. */
export function systemEnvironment(): Record<string, string> {
  return { PATH: SYSTEM_PATH, LANG: 'C.UTF-8', HOME: '/' };
}

/** What a login gives; the profile of the user adds the rest. */
export function userEnvironment({ name, uid, home, shell }: Person, language: string): Record<string, string> {
  return {
    PATH: uid === 0 ? SYSTEM_PATH : USER_PATH,
    HOME: home,
    USER: name,
    LOGNAME: name,
    SHELL: shell,
    LANG: language,
  };
}

/** The machine's own language where it is known; without one, programs in a terminal would not print beyond ASCII. */
export function languageFrom(env: Record<string, string | undefined>): string {
  const { LC_ALL, LANG } = env;
  return [LC_ALL, LANG].find((value) => value !== undefined && LANGUAGE.test(value) && value !== 'C') ?? 'C.UTF-8';
}
