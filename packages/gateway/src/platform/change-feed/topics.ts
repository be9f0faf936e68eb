/** Topics that one floor tells of and another follows. */

/** Of a join token, with who made it: a script was fetched with it, a machine joined or was refused. */
export const JOIN_PROGRESS_TOPIC = 'join-progress';

/** What somebody asked others to allow, or what became of it; with who asked, and what a rule must let others list for them to hear of it. */
export const APPROVAL_TOPIC = 'approval';
