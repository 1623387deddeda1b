export type { AccountService } from './accounts.ts';
export { createAccountService } from './accounts.ts';
export { ensureOperator, type FirstOperator } from './first-start.ts';
export { createProvider } from './provider.ts';
export { createSingleSignOn, noSingleSignOn, type SingleSignOn } from './single-sign-on.ts';
export {
  createResetLink,
  createUser,
  findUserByEmail,
  listUsers,
  type NewAccount,
  prepareUser,
  setDisabled,
  setOperator,
} from './users.ts';
