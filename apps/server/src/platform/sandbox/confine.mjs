// Confines this process by Landlock and seccomp, and becomes the program that follows the plan. Its arguments are the
// plan, as JSON, and a command with absolute paths; `confinement.ts` makes them. No privilege is needed.
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { loadKernel } from './kernel.mjs';

const [text = '', ...command] = process.argv.slice(2);
/** @type {import('./confinement.ts').ConfinePlan} */
const plan = JSON.parse(text);
const { systemCall, prctl, addFilter, errno } = loadKernel(plan.kernel);

const PR_SET_NO_NEW_PRIVS = 38;
const LANDLOCK_CREATE_RULESET = 444;
const LANDLOCK_ADD_RULE = 445;
const LANDLOCK_RESTRICT_SELF = 446;
const LANDLOCK_RULE_PATH_BENEATH = 1;
const F_SETFD = 2;
const O_PATH = 0o10000000;

/**
 * @param {string} name
 * @param {number} result
 */
function check(name, result) {
  if (result >= 0) return result;
  process.stderr.write(`confine: ${name} failed with error ${errno()}\n`);
  process.exit(125);
}

check('prctl', prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
// Node closes what it inherited, beyond standard streams, when it starts another program.
for (const descriptor of plan.inherited) check('fcntl', systemCall(plan.fcntl, descriptor, F_SETFD, 0, 0));

const attributes = Buffer.from(plan.landlock.attributes, 'base64');
const rules = check(
  'landlock_create_ruleset',
  systemCall(LANDLOCK_CREATE_RULESET, attributes, attributes.length, 0, 0),
);
for (const [path, rights] of plan.landlock.paths) {
  // A jail does not have every file of the system.
  if (!existsSync(path)) continue;
  const descriptor = openSync(path, O_PATH | constants.O_RDONLY);
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(BigInt(rights), 0);
  rule.writeInt32LE(descriptor, 8);
  check(
    `landlock_add_rule for ${path}`,
    systemCall(LANDLOCK_ADD_RULE, rules, LANDLOCK_RULE_PATH_BENEATH, rule, 0),
  );
  closeSync(descriptor);
}
check('landlock_restrict_self', systemCall(LANDLOCK_RESTRICT_SELF, rules, 0, 0, 0));

const filter = Buffer.from(plan.filter, 'base64');
// The process keeps its number when it becomes the program.
filter.writeUInt32LE(process.pid, plan.pidAt);
check('seccomp', addFilter(plan.seccomp, filter, false));
process.execve?.(command[0] ?? '', command, {});
