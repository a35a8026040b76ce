"""Vault: five dice, twelve vaults, three skimmers; alone or as Den of Thieves."""
