export type { AccountService } from './accounts.ts';
export { createAccountService } from './accounts.ts';
export {
  createResetLink,
  createUser,
  findUserByEmail,
  listUsers,
  type NewAccount,
  setDisabled,
  setOperator,
} from './users.ts';
