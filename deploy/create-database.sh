# Run once by the image of PostgreSQL, when its volume is still empty: makes the role `knobel` and its database.
# The role owns that database and has no other right. The superuser loses its password and with it the network:
# it remains for `docker compose exec db psql -U postgres`.
psql -v ON_ERROR_STOP=1 --quiet --no-psqlrc --username postgres <<'SQL'
\getenv password POSTGRES_PASSWORD
CREATE ROLE knobel LOGIN PASSWORD :'password';
CREATE DATABASE knobel OWNER knobel;
REVOKE ALL ON DATABASE knobel, postgres FROM PUBLIC;
ALTER ROLE postgres PASSWORD NULL;
SQL
